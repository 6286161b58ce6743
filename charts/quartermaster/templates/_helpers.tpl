{{- define "quartermaster.selector" -}}
app.kubernetes.io/name: quartermaster
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/*
Labels of every object; `app.kubernetes.io/managed-by: quartermaster` is on objects that the operator makes. Flux adds the commit or
the digest of a chart to its version, after a plus sign, which no label may have.
*/}}
{{- define "quartermaster.labels" -}}
{{- $chart := printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- $labels := dict "helm.sh/chart" (regexReplaceAll "[-_.]+$" $chart "") }}
{{- range $key, $value := dict "name" "quartermaster" "part-of" "quartermaster" "instance" .Release.Name "version" .Chart.AppVersion "managed-by" .Release.Service }}
{{- $_ := set $labels (printf "app.kubernetes.io/%s" $key) $value }}
{{- end }}
{{- merge (include "quartermaster.given" .Values.commonLabels | fromYaml) $labels | toYaml }}
{{- end }}

{{/* A map without its nulls: by a null, a later file of values removes what an earlier one gives. */}}
{{- define "quartermaster.given" -}}
{{- $given := dict }}
{{- range $name, $value := . }}
{{- if not (kindIs "invalid" $value) }}
{{- $_ := set $given $name $value }}
{{- end }}
{{- end }}
{{- toYaml $given }}
{{- end }}

{{- define "quartermaster.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "quartermaster.labels" .root | nindent 2 }}
{{- with .component }}
  app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{/* The documents of a file, with the labels of the release and the given annotations. The version is that of the chart. */}}
{{- define "quartermaster.documents" -}}
{{- $root := .root }}
{{- $labels := include "quartermaster.labels" $root | fromYaml }}
{{- $version := pick $labels "app.kubernetes.io/version" }}
{{- $annotations := .annotations | default dict }}
{{- range splitList "\n---\n" (required (printf "the chart has no file '%s'" .file) ($root.Files.Get .file)) }}
{{- $object := fromYaml . }}
{{- $_ := set $object.metadata "labels" (merge (dict) $version ($object.metadata.labels | default dict) $labels) }}
{{- if $annotations }}
{{- $_ := set $object.metadata "annotations" (merge (dict) ($object.metadata.annotations | default dict) $annotations) }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}

{{- define "quartermaster.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}
{{- else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}
{{- end }}

{{/* Variables of both processes. Numbers are written as YAML has them, never as 1e+06. */}}
{{- define "quartermaster.environment" -}}
{{- range $name, $value := include "quartermaster.given" .Values.settings | fromYaml }}
- name: {{ $name }}
  value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
{{- end }}
{{- if .Values.tracing.endpoint }}
- name: QUARTERMASTER_TRACING_ENDPOINT
  value: {{ .Values.tracing.endpoint | quote }}
- name: QUARTERMASTER_TRACING_RATIO
  value: {{ toJson .Values.tracing.ratio | quote }}
{{- end }}
{{- if .Values.trustedCa.existingConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/quartermaster/ca/{{ .Values.trustedCa.key }}
{{- end }}
{{- end }}

{{/* Limits as `kind=limit`, joined by commas. Numbers are written as YAML has them. */}}
{{- define "quartermaster.limits" -}}
{{- $limits := list }}
{{- range $kind, $limit := include "quartermaster.given" .Values.organizationQuota.limits | fromYaml }}
{{- $limits = append $limits (printf "%s=%s" $kind (toJson $limit)) }}
{{- end }}
{{- join "," $limits | quote }}
{{- end }}

{{- define "quartermaster.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "quartermaster.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* Where pods run; of `.values`, the values of one process. */}}
{{- define "quartermaster.placement" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "quartermaster.given" .values.nodeSelector | fromYaml }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ quote . }}
{{- end }}
{{- $constraints := .values.topologySpreadConstraints | default list }}
{{- if and (not $constraints) (gt (int .values.replicas) 1) }}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
{{- $constraints = append $constraints (dict "topologyKey" . "maxSkew" 1 "whenUnsatisfiable" "ScheduleAnyway") }}
{{- end }}
{{- end }}
{{- $selector := dict "labelSelector" (dict "matchLabels" (include "quartermaster.selector" . | fromYaml)) }}
{{- with $constraints }}
topologySpreadConstraints:
{{- range . }}
  - {{- merge (dict) . $selector | toYaml | nindent 4 }}
{{- end }}
{{- end }}
{{- end }}
