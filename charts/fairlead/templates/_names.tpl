{{/* Names and labels. Names do not depend on the release, because definitions, cluster roles and tenants exist once in a cluster. */}}

{{- define "fairlead.labels" -}}
app.kubernetes.io/name: fairlead
app.kubernetes.io/part-of: fairlead
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Takes "api" or "controller". Selectors of Deployments are immutable, so no label may change with an upgrade. */}}
{{- define "fairlead.selector" -}}
app.kubernetes.io/name: fairlead
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- define "fairlead.image" -}}
{{- $path := .Values.image.repository -}}
{{- with .Values.global.imageRegistry -}}{{- $path = printf "%s/%s" (trimSuffix "/" .) $path -}}{{- end -}}
{{- if .Values.image.digest -}}
{{ $path }}@{{ .Values.image.digest }}
{{- else -}}
{{ $path }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* "true" without issuers. */}}
{{- define "fairlead.evaluation" -}}
{{- if and (empty .Values.auth.issuers) (empty .Values.auth.existingConfigMap) }}true{{ end -}}
{{- end }}

{{/* "true" when several pods of the API share the artifacts. */}}
{{- define "fairlead.sharedArtifacts" -}}
{{- if or .Values.artifacts.s3.bucket (and .Values.artifacts.volume.enabled (eq .Values.artifacts.volume.accessMode "ReadWriteMany")) }}true{{ end -}}
{{- end }}

{{- define "fairlead.apiReplicas" -}}
{{- if kindIs "invalid" .Values.api.replicas -}}
{{ ternary 2 1 (and (empty (include "fairlead.evaluation" .)) (eq (include "fairlead.sharedArtifacts" .) "true")) }}
{{- else -}}{{ .Values.api.replicas }}{{- end -}}
{{- end }}

{{- define "fairlead.controllerReplicas" -}}
{{- if kindIs "invalid" .Values.controller.replicas -}}
{{ ternary 2 1 (empty (include "fairlead.evaluation" .)) }}
{{- else -}}{{ .Values.controller.replicas }}{{- end -}}
{{- end }}

{{/* Empty when neither the value nor an Ingress with TLS names one. */}}
{{- define "fairlead.publicUrl" -}}
{{- if .Values.api.publicUrl -}}
{{ .Values.api.publicUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.tls .Values.ingress.hosts -}}
https://{{ first .Values.ingress.hosts }}
{{- end -}}
{{- end }}

{{- define "fairlead.issuersConfigMap" -}}
{{ .Values.auth.existingConfigMap | default "fairlead-issuers" }}
{{- end }}

{{- define "fairlead.artifactsClaim" -}}
{{ .Values.artifacts.volume.existingClaim | default "fairlead-artifacts" }}
{{- end }}
