{{/* Alerts: what somebody has to do something about. Every replica reports all resources, so series are joined by max. The
annotation `runbook` is what to do first. */}}
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
    summary: Dead letters of provider {{ "{{ $labels.provider }}" }} wait for a decision in {{ "{{ $labels.organization }}" }}.
    description: The oldest waits for {{ "{{ $value | humanizeDuration }}" }}. Nothing is tried again by itself.
    runbook: >-
      GET /ops/dead-letter?group_by=error names the causes. Repair the provider, then POST
      /ops/dead-letter/retry-all?provider=…; of each cause one letter is tried first.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleaddeadletterswaiting") }}
- alert: FairleadStuckProcessing
  expr: max by (organization, reason) (fairlead_unsettled_oldest_seconds{state="processing", reason!~"WaitingForProvider|Paused|Suspended"}) > 7800
  for: 1m
  labels: { severity: warning }
  annotations:
    summary: A resource of {{ "{{ $labels.organization }}" }} is processing for {{ "{{ $value | humanizeDuration }}" }} ({{ "{{ $labels.reason }}" }}).
    description: Attempts and waiting for a provider that has not finished end after two hours. This did not.
    runbook: >-
      kubectl get resources -n {{ "{{ $labels.organization }}" }} --field-selector status.state=processing -o wide names it, kubectl describe
      tells its story. See the log of the controller, and FairleadNoLeader and FairleadWatchStale.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadstuckprocessing") }}
- alert: FairleadStalled
  expr: max by (organization, kind, reason) (fairlead_stalled_objects{reason=~"QuotaExceeded|NamespaceTerminating|Forbidden|Invalid|ReconcileFailed"}) > 0
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: "{{ "{{ $value }}" }} objects of kind {{ "{{ $labels.kind }}" }} in {{ "{{ $labels.organization }}" }} cannot go on ({{ "{{ $labels.reason }}" }})."
    description: Reconciling each of them has failed in the same way five times or more. They are tried again, and go on once the cause is gone.
    runbook: >-
      kubectl get resources,providers,builds -n {{ "{{ $labels.organization }}" }} -o wide, and kubectl get organizations -o wide, say why. QuotaExceeded:
      delete dead letters and receipts that are done with, or raise spec.limits of the Organization. NamespaceTerminating: let it end, or
      look for the finalizer that holds it. Forbidden, Invalid: a role, an admission policy or a webhook refuses a write; the log of the
      controller has it. ReconcileFailed: report it, with that log.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadstalled") }}
- alert: FairleadWorkWaits
  expr: max by (reconciler) (fairlead_queue_oldest_seconds) > 300
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: Objects of {{ "{{ $labels.reconciler }}" }} wait {{ "{{ $value | humanizeDuration }}" }} for a worker.
    description: All workers are busy, or one organization has asked for more than they can do.
    runbook: Look at the time providers take (fairlead_event_duration_seconds); raise controller.workers and the controller's resources.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadworkwaits") }}
- alert: FairleadProviderUnavailable
  expr: max by (organization) (fairlead_unsettled_oldest_seconds{reason="WaitingForProvider"}) > 900
  for: 1m
  labels: { severity: warning }
  annotations:
    summary: Resources of {{ "{{ $labels.organization }}" }} wait for a provider that has no ready pod.
    description: The oldest waits for {{ "{{ $value | humanizeDuration }}" }}. No attempt is spent; they go on when the provider is there.
    runbook: >-
      kubectl get providers,pods -n {{ "{{ $labels.organization }}" }}; GET /providers/{provider}/deployment says what its pods said last.
      Deploy it, or roll back.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadproviderunavailable") }}
- alert: FairleadProviderSilent
  expr: |-
    sum(rate(fairlead_event_attempts_total{outcome="unanswered"}[10m]))
      / sum(rate(fairlead_event_attempts_total[10m])) > 0.5
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: Most events get no answer.
    description: "{{ "{{ $value | humanizePercentage }}" }} of the deliveries of the last ten minutes ended without an answer."
    runbook: >-
      kubectl get pods -A -l fairlead.dev/provider shows pods that crash. If all of them are well, a NetworkPolicy or the network
      between {{ .Release.Namespace }} and the namespaces of tenants is in the way of port 8080.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadprovidersilent") }}
- alert: FairleadNoLeader
  expr: (sum(fairlead_leader) or vector(0)) != 1
  for: 2m
  labels: { severity: critical }
  annotations:
    summary: "{{ "{{ $value }}" }} controllers lead; it should be one."
    description: Without a leader nothing is reconciled. Applies are accepted, and wait.
    runbook: >-
      kubectl -n {{ .Release.Namespace }} get lease,pods; the log of the controller says why it cannot renew. More than one for
      minutes: clocks of nodes differ, or metrics of another installation are in the same series.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadnoleader") }}
- alert: FairleadWatchStale
  expr: max by (pod, kind) (fairlead_watch_silent_seconds) > 600
  for: 1m
  labels: { severity: critical }
  annotations:
    summary: "{{ "{{ $labels.pod }}" }} has heard nothing about {{ "{{ $labels.kind }}" }} for {{ "{{ $value | humanizeDuration }}" }}."
    description: Its cache may be old, and what it answers with it.
    runbook: Delete the pod; it reads everything again. If others are silent too, look at the API server.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadwatchstale") }}
- alert: FairleadConservationDrift
  expr: |-
    max by (organization) (abs(fairlead_resources_drift)) > 0
      or
    max by (organization) (fairlead_failed_without_letter) > 0
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: The numbers of {{ "{{ $labels.organization }}" }} do not add up.
    description: A replica counts {{ "{{ $value }}" }} resources more or fewer than the API server, or that many failures have no dead letter.
    runbook: >-
      fairlead_resources_drift other than 0 names the pod; delete it, and report it. Failures without a letter: somebody
      deleted letters with kubectl (DELETE /ops/dead-letter dismisses the failure instead); an apply of the resource starts it again.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadconservationdrift") }}
- alert: FairleadApiErrors
  expr: |-
    sum by (route) (rate(fairlead_http_requests_total{status=~"5.."}[5m]))
      / sum by (route) (rate(fairlead_http_requests_total[5m])) > 0.05
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: "{{ "{{ $value | humanizePercentage }}" }} of the requests to {{ "{{ $labels.route }}" }} fail."
    description: Clients see 5xx.
    runbook: The log of the API has each with its X-Request-Id. 503 is the API server of the cluster, or a namespace that cannot be made.
    {{- include "fairlead.runbookUrl" (list $runbook "fairleadapierrors") }}
{{- end }}
