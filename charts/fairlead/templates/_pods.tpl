{{/* Common parts of the pods of the API and the controller. Each takes a dict: root, component ("api" | "controller"). */}}

{{- define "fairlead.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "fairlead.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* 75 % of a memory limit, in MiB: Node's default heap limit does not use all memory of the container. */}}
{{- define "fairlead.heapMiB" -}}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "" 1 -}}
{{- $quantity := toString . -}}
{{- $unit := regexFind "[A-Za-z]*$" $quantity -}}
{{- if not (hasKey $units $unit) -}}
{{- fail (printf "The memory limit %s is invalid: use a quantity such as 512Mi or 1Gi." $quantity) -}}
{{- end -}}
{{- divf (mulf (float64 (trimSuffix $unit $quantity)) (get $units $unit) 0.75) 1048576 | floor | int -}}
{{- end }}

{{/* Numeric values are floats, and Helm prints millions as 7.2e+06. */}}
{{- define "fairlead.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end }}

{{- define "fairlead.env" -}}
{{- $ := .root -}}
{{- $component := .component -}}
{{- $of := index $.Values $component -}}
- name: FAIRLEAD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- name: FAIRLEAD_IDENTITY
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{- if eq $component "controller" }}
- name: FAIRLEAD_SERVICE_ACCOUNT
  valueFrom: { fieldRef: { fieldPath: spec.serviceAccountName } }
{{- end }}
{{- with dig "limits" "memory" "" $of.resources }}
- name: NODE_OPTIONS
  # Young objects get 24 MiB instead of 48: the rest would stay resident for ever after the first list of many resources.
  value: --max-old-space-size={{ include "fairlead.heapMiB" . }} --max-semi-space-size=8
{{- end }}
- name: MALLOC_MMAP_THRESHOLD_
  # The value that glibc begins with. Unless it is set, glibc raises it with each larger block that is freed, and keeps such blocks then.
  value: "131072"
{{- $plain := dict
  "FAIRLEAD_HOST" "0.0.0.0"
  "FAIRLEAD_DATA" "/var/lib/fairlead"
  "FAIRLEAD_METRICS_PORT" "9090"
  "FAIRLEAD_LOG_LEVEL" $.Values.logLevel
  "FAIRLEAD_IMAGE" (include "fairlead.image" $)
  "FAIRLEAD_ARTIFACTS_URL" (printf "http://fairlead-internal.%s.svc:8002" $.Release.Namespace)
  "FAIRLEAD_URL_FOR_PODS" (printf "http://fairlead.%s.svc:%v" $.Release.Namespace $.Values.service.port)
  "FAIRLEAD_MAX_ATTEMPTS" $.Values.events.maxAttempts
  "FAIRLEAD_RETRY_BASE_MS" $.Values.events.retryBaseMs
  "FAIRLEAD_RETRY_CAP_MS" $.Values.events.retryCapMs
  "FAIRLEAD_OPERATION_LIMIT_MS" $.Values.events.operationLimitMs
  "FAIRLEAD_EVENT_TIMEOUT_MS" $.Values.events.timeoutMs
  "FAIRLEAD_MAX_SUPERSEDED_DEAD_LETTERS" $.Values.events.supersededLetters
-}}
{{- /* Parentheses, because `--reuse-values` of an older release has no `tenancy`. */ -}}
{{- range $name, $limit := ($.Values.tenancy).limits -}}
{{- $_ := set $plain (printf "FAIRLEAD_LIMIT_%s" (snakecase $name | upper)) $limit -}}
{{- end -}}
{{- /* Both send requests to providers. */ -}}
{{- with ($.Values.tenancy | default dict).clusterCidrs -}}
{{- $_ := set $plain "FAIRLEAD_CLUSTER_CIDRS" (join "," .) -}}
{{- end -}}
{{- if eq $component "api" -}}
{{- $plain = merge $plain (dict
  "FAIRLEAD_PORT" "8000"
  "FAIRLEAD_INTERNAL_PORT" "8002"
  "FAIRLEAD_PROBE_PORT" "8003"
  "FAIRLEAD_RATE_LIMIT" $.Values.api.rateLimit
  "FAIRLEAD_RATE_BURST" $.Values.api.rateBurst
  "FAIRLEAD_PUSH_LIMIT_PER_MINUTE" $.Values.api.pushLimitPerMinute
) -}}
{{- with include "fairlead.publicUrl" $ -}}
{{- $_ := set $plain "FAIRLEAD_PUBLIC_URL" . -}}
{{- end -}}
{{- with $.Values.api.connectionsPerAddress -}}
{{- $_ := set $plain "FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS" . -}}
{{- end -}}
{{- if hasKey ($.Values.tenancy | default dict) "provision" -}}
{{- $_ := set $plain "FAIRLEAD_PROVISION" $.Values.tenancy.provision -}}
{{- end -}}
{{- if include "fairlead.evaluation" $ -}}
{{- $_ := set $plain "FAIRLEAD_EVALUATION" "true" -}}
{{- else -}}
{{- $_ := set $plain "FAIRLEAD_ISSUERS_FILE" "/etc/fairlead/issuers.json" -}}
{{- end -}}
{{- else -}}
{{- /* A release that was upgraded with `--reuse-values` has none of the values with a default here. */ -}}
{{- $plain = merge $plain (dict
  "FAIRLEAD_PORT" "8080"
  "FAIRLEAD_WORKERS" $.Values.controller.workers
  "FAIRLEAD_SHARDS" ($.Values.controller.shards | default 1)
  "FAIRLEAD_UNREFERENCED_ARTIFACTS" ($.Values.artifacts.unreferenced | default "remove")
  "FAIRLEAD_ARTIFACT_GRACE_DAYS" ($.Values.artifacts.graceDays | default 7)
) -}}
{{- with $.Values.keys.existingSecret -}}
{{- $_ := set $plain "FAIRLEAD_EVENT_KEY_SECRET" . -}}
{{- end -}}
{{- with $.Values.tenancy -}}
{{- $pods := dict -}}
{{- range $name, $value := .pods }}{{ if $value }}{{ $_ := set $pods $name $value }}{{ end }}{{ end -}}
{{- if $pods }}{{ $_ := set $plain "FAIRLEAD_POD_SCHEDULING" (toJson $pods) }}{{ end -}}
{{- if .imagePullSecret }}{{ $_ := set $plain "FAIRLEAD_PULL_SECRET_FILE" "/etc/fairlead-pull/config.json" }}{{ end -}}
{{- if .npmRegistry }}{{ $_ := set $plain "FAIRLEAD_NPM_REGISTRY" .npmRegistry }}{{ end -}}
{{- if .npmRegistryCidrs }}{{ $_ := set $plain "FAIRLEAD_NPM_REGISTRY_CIDRS" (join "," .npmRegistryCidrs) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- with $.Values.artifacts.s3 -}}
{{- if .bucket -}}
{{- $_ := set $plain "FAIRLEAD_S3_BUCKET" .bucket -}}
{{- $_ := set $plain "FAIRLEAD_S3_PATH_STYLE" .pathStyle -}}
{{- range $name, $value := dict "ENDPOINT" .endpoint "REGION" .region "PREFIX" .prefix -}}
{{- if $value }}{{ $_ := set $plain (printf "FAIRLEAD_S3_%s" $name) $value }}{{ end -}}
{{- end -}}
{{- else -}}
{{- $_ := set $plain "FAIRLEAD_ARTIFACTS" (ternary "folder" "remote" (eq $component "api")) -}}
{{- end -}}
{{- end -}}
{{- range $name := keys $plain | sortAlpha }}
- name: {{ $name }}
  value: {{ include "fairlead.text" (get $plain $name) | quote }}
{{- end }}
{{- with $.Values.artifacts.s3 }}
{{- if and .bucket .credentialsSecret }}
{{- range $name := list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $.Values.artifacts.s3.credentialsSecret }}, key: {{ $name }} } }
{{- end }}
{{- end }}
{{- end }}
{{- with concat $.Values.extraEnv $of.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "fairlead.spread" -}}
{{- $of := index .root.Values .component -}}
{{- if kindIs "invalid" $of.topologySpreadConstraints -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "fairlead.selector" $.component | nindent 6 }}
{{- end }}
{{- else -}}
{{ toYaml $of.topologySpreadConstraints }}
{{- end -}}
{{- end }}

{{/* The spec of a pod without its containers and volumes. */}}
{{- define "fairlead.pod" -}}
{{- $of := index .root.Values .component -}}
serviceAccountName: fairlead-{{ .component }}
automountServiceAccountToken: true
enableServiceLinks: false
terminationGracePeriodSeconds: {{ $of.terminationGracePeriodSeconds }}
securityContext: {{- include "fairlead.podSecurity" . | nindent 2 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $of.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $of.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $of.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $of.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "fairlead.spread" . | trim }}
topologySpreadConstraints: {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "fairlead.podMetadata" -}}
{{- $of := index .root.Values .component -}}
labels:
  {{- include "fairlead.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
  fairlead.dev/metrics: 'true'
  {{- with $of.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $annotations := $of.podAnnotations -}}
{{- if and (eq .component "api") .root.Values.auth.issuers }}
{{- $annotations = merge (dict "fairlead.dev/issuers-hash" (.root.Values.auth.issuers | toJson | sha256sum | trunc 16)) $annotations }}
{{- end }}
{{- with $annotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A start may take a minute, because caches are filled before readiness. Liveness checks only the process, so that an outage of the
API server restarts no pod. */}}
{{- define "fairlead.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: {{ . }} }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: {{ . }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: {{ . }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}
