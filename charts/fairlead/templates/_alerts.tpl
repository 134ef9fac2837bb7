{{/* Alerts that require action. Every replica reports all resources, so series are joined by max. The
annotation `runbook` has the first steps. */}}
{{- define "fairlead.runbookUrl" -}}
{{- with first . }}
    runbook_url: {{ . }}#{{ last $ }}
{{- end }}
{{- end }}

{{- define "fairlead.alerts" -}}
{{- $runbook := trimSuffix "/" .Values.metrics.prometheusRule.runbookUrl -}}
- alert: FairleadDeadLettersWaiting
  expr: max by (organization, provider) (fairlead_dead_letter_oldest_age_seconds) > {{ int64 .Values.metrics.prometheusRule.deadLetterAgeSeconds }}
  for: 1m
  labels: { severity: warning }
  annotations:
    summary: Dead letters of provider {{ "{{ $labels.provider }}" }} need a decision in {{ "{{ $labels.organization }}" }}.
    description: The oldest is {{ "{{ $value | humanizeDuration }}" }} old. Fairlead does not retry it automatically.
    runbook: >-
      GET /ops/dead-letter?group_by=error lists the causes. Repair the provider, then POST
      /ops/dead-letter/retry-all?provider=…; it first retries one letter of each cause.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleaddeadletterswaiting") }}
- alert: FairleadStuckProcessing
  expr: max by (organization, reason) (fairlead_unsettled_oldest_seconds{state="processing", reason!~"WaitingForProvider|Paused|Suspended"}) > 7800
  for: 1m
  labels: { severity: warning }
  annotations:
    summary: A resource of {{ "{{ $labels.organization }}" }} is processing for {{ "{{ $value | humanizeDuration }}" }} ({{ "{{ $labels.reason }}" }}).
    description: Attempts and operations end after two hours. This one did not.
    runbook: >-
      kubectl get resources -n {{ "{{ $labels.organization }}" }} --field-selector status.state=processing -o wide lists it, and kubectl describe
      shows its events. Check the log of the controller, and the alerts FairleadNoLeader and FairleadWatchStale.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadstuckprocessing") }}
- alert: FairleadStalled
  expr: max by (organization, kind, reason) (fairlead_stalled_objects{reason=~"QuotaExceeded|NamespaceTerminating|Forbidden|Invalid|ReconcileFailed"}) > 0
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: "{{ "{{ $value }}" }} objects of kind {{ "{{ $labels.kind }}" }} in {{ "{{ $labels.organization }}" }} are stalled ({{ "{{ $labels.reason }}" }})."
    description: Reconciling each of them failed with the same reason five times or more. Fairlead keeps retrying until the cause is resolved.
    runbook: >-
      kubectl get resources,providers,builds -n {{ "{{ $labels.organization }}" }} -o wide, and kubectl get organizations -o wide, show the reasons. QuotaExceeded:
      delete dead letters and receipts that are no longer needed, or raise spec.limits of the Organization. NamespaceTerminating: wait, or
      look for the finalizer that blocks it. Forbidden, Invalid: a role, an admission policy or a webhook rejects a write; see the log of
      the controller. ReconcileFailed: report it, with that log.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadstalled") }}
- alert: FairleadWorkWaits
  expr: max by (reconciler) (fairlead_queue_oldest_seconds) > 300
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: Objects of {{ "{{ $labels.reconciler }}" }} wait {{ "{{ $value | humanizeDuration }}" }} for a worker.
    description: All workers are busy, or one organization has more work than they can do.
    runbook: Check the response times of providers (fairlead_event_duration_seconds); raise controller.workers and the controller's resources.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadworkwaits") }}
- alert: FairleadProviderUnavailable
  expr: max by (organization) (fairlead_unsettled_oldest_seconds{reason="WaitingForProvider"}) > 900
  for: 1m
  labels: { severity: warning }
  annotations:
    summary: Resources of {{ "{{ $labels.organization }}" }} wait for a provider that has no ready pod.
    description: The oldest has waited for {{ "{{ $value | humanizeDuration }}" }}. No attempt is counted; processing resumes when the provider is ready.
    runbook: >-
      kubectl get providers,pods -n {{ "{{ $labels.organization }}" }}; GET /providers/{provider}/deployment shows the last message of its pods.
      Deploy it, or roll back.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadproviderunavailable") }}
- alert: FairleadProviderSilent
  expr: |-
    sum(rate(fairlead_event_attempts_total{outcome="unanswered"}[10m]))
      / sum(rate(fairlead_event_attempts_total[10m])) > 0.5
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: Most events get no response.
    description: "{{ "{{ $value | humanizePercentage }}" }} of the deliveries of the last ten minutes got no response."
    runbook: >-
      kubectl get pods -A -l fairlead.dev/provider shows pods that crash. If all are healthy, a NetworkPolicy or the network
      between {{ .Release.Namespace }} and the tenant namespaces blocks port 8443.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadprovidersilent") }}
- alert: FairleadCertificateExpires
  expr: min by (organization) (fairlead_provider_certificate_expiry_timestamp_seconds) - time() < 1209600
  for: 1h
  labels: { severity: warning }
  annotations:
    summary: The certificate of a provider of {{ "{{ $labels.organization }}" }} expires in {{ "{{ $value | humanizeDuration }}" }}.
    description: Certificates are renewed 22 to 30 days before they expire. This one was not, and expired ones get no events.
    runbook: >-
      kubectl get providers -n {{ "{{ $labels.organization }}" }} -o wide shows which one. A quota, missing guards, and code that
      does not start any more delay the renewal; the conditions of the Provider give the reason.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadcertificateexpires") }}
- alert: FairleadClockSkew
  expr: max by (organization) (fairlead_providers_with_clock_skew) > 0
  for: 2m
  labels: { severity: warning }
  annotations:
    summary: The clocks of Fairlead and of providers of {{ "{{ $labels.organization }}" }} differ by more than 30 seconds.
    description: "{{ "{{ $value }}" }} providers accept no events. Each event is repeated for ten minutes, then its attempts count, and it becomes a dead letter."
    runbook: >-
      kubectl get providers -n {{ "{{ $labels.organization }}" }} -o jsonpath='{.items[*].status.conditions[?(@.type=="ClockSkew")].message}' shows the
      difference and both times. If providers on several machines differ, synchronize the clock of the node of the controller, otherwise
      that of the provider. The next event that a provider answers in another way ends the alert; retry dead letters afterwards.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadclockskew") }}
- alert: FairleadResourcesDrifted
  expr: sum by (organization, provider) (max by (organization, provider, type, kind) (fairlead_resources_drifted)) > 0
  for: 15m
  labels: { severity: warning }
  annotations:
    summary: "{{ "{{ $value }}" }} objects of provider {{ "{{ $labels.provider }}" }} in {{ "{{ $labels.organization }}" }} differ from their config, or are gone."
    description: They have differed for 15 minutes. Resources with on_drift=report wait for a decision; a correction of the others is held, waits for the next interval, or did not help.
    runbook: >-
      GET /resources/?drift=true, or fairlead get --drift, lists them with what differs. fairlead correct RESOURCE makes the object what the
      config declares, fairlead apply RESOURCE --from-actual declares what is there, and observe.ignore leaves a value to others. The reason
      CorrectionLoop: somebody else changes the object again and again.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadresourcesdrifted") }}
- alert: FairleadCorrectionsHeld
  expr: max by (organization, provider) (fairlead_corrections_held) > 0
  labels: { severity: warning }
  annotations:
    summary: Provider {{ "{{ $labels.provider }}" }} in {{ "{{ $labels.organization }}" }} corrects nothing until somebody releases it.
    description: Within one interval, more than ten and more than a fifth of its observed resources differed or were gone. A wrong region or credential looks like this.
    runbook: >-
      kubectl describe providers -n {{ "{{ $labels.organization }}" }} shows the numbers. Check the settings of the provider, and look for some of the
      objects yourself. If they are as declared, repair the settings and wait until observations have ended the drift. If they really differ
      or are gone, they are corrected by fairlead provider release-corrections {{ "{{ $labels.provider }}" }}.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadcorrectionsheld") }}
- alert: FairleadObservationsFailing
  expr: sum by (organization, provider) (max by (organization, provider, type) (fairlead_resources_not_observed)) > 0
  for: 15m
  labels: { severity: warning }
  annotations:
    summary: Provider {{ "{{ $labels.provider }}" }} in {{ "{{ $labels.organization }}" }} cannot observe {{ "{{ $value }}" }} resources.
    description: Three intervals passed without an answer, so differences are not noticed. Nothing else follows; the resources stay ready.
    runbook: >-
      The condition Observed of the resources has the last error, and the log of the provider the rest. Credentials that may write but not read,
      rate limits of the cloud and slow lists are the usual causes; a longer observe.every needs fewer requests.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadobservationsfailing") }}
- alert: FairleadNoLeader
  expr: (sum(fairlead_leader) or vector(0)) != {{ .Values.controller.shards | default 1 }}
  for: 2m
  labels: { severity: critical }
  annotations:
    summary: "{{ "{{ $value }}" }} shards have a leader; expected {{ .Values.controller.shards | default 1 }}."
    description: Without a leader, the organizations of a shard are not reconciled. Applies are accepted and queued.
    runbook: >-
      kubectl -n {{ .Release.Namespace }} get lease,pods; the log of the controller has the reason of a failed renewal. More than one
      for minutes: the clocks of nodes differ, or another installation reports the same metrics.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadnoleader") }}
- alert: FairleadWatchStale
  expr: max by (pod, kind) (fairlead_watch_silent_seconds) > 600
  for: 1m
  labels: { severity: critical }
  annotations:
    summary: "{{ "{{ $labels.pod }}" }} has received no data about {{ "{{ $labels.kind }}" }} for {{ "{{ $value | humanizeDuration }}" }}."
    description: Its cache and its responses may be stale.
    runbook: Delete the pod; its replacement lists all objects. If other pods are affected, check the API server.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadwatchstale") }}
- alert: FairleadConservationDrift
  expr: |-
    max by (organization) (abs(fairlead_resources_unaccounted)) > 0
      or
    max by (organization) (fairlead_failed_without_dead_letter) > 0
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: The resource counts of {{ "{{ $labels.organization }}" }} are inconsistent.
    description: A replica counts {{ "{{ $value }}" }} resources more or fewer than the API server, or that many failed resources have no dead letter.
    runbook: >-
      fairlead_resources_unaccounted other than 0 names the pod; delete it, and report it. Failures without a letter: letters were
      deleted with kubectl (DELETE /ops/dead-letter dismisses the failure instead); apply the resource to retry it.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadconservationdrift") }}
- alert: FairleadApiErrors
  expr: |-
    sum by (route) (rate(fairlead_http_requests_total{status=~"5.."}[5m]))
      / sum by (route) (rate(fairlead_http_requests_total[5m])) > 0.05
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: "{{ "{{ $value | humanizePercentage }}" }} of the requests to {{ "{{ $labels.route }}" }} fail."
    description: Clients receive 5xx.
    runbook: The log of the API has each with its X-Request-Id. A 503 means that the Kubernetes API server is unavailable, or that creating a namespace failed.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadapierrors") }}
{{- end }}
