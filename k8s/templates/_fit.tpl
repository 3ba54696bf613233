{{/* A file of the chart, whose run `demo` has the name of the release. */}}
{{- define "selvage.file" -}}
{{- regexReplaceAll "\\bdemo\\b" (.root.Files.Get .path) .root.Release.Name -}}
{{- end -}}

{{/* From a manifest of base/ to that of a run: `dict "object" … "root" $`. They change the object. */}}

{{- define "selvage.label" -}}
{{- $own := dict "app.kubernetes.io/name" "selvage" "app.kubernetes.io/instance" .root.Release.Name -}}
{{- $values := .root.Values -}}
{{- range $target := .targets -}}
  {{- $_ := set $target "labels" (merge (deepCopy $own) (default dict $values.labels) (default dict $target.labels)) -}}
  {{- if $values.annotations -}}
    {{- $_ := set $target "annotations" (merge (deepCopy $values.annotations) (default dict $target.annotations)) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- define "selvage.fit" -}}
{{- $object := .object -}}
{{- $values := .root.Values -}}
{{- $_ := set $object.metadata "namespace" .root.Release.Namespace -}}
{{- $template := dig "spec" "template" dict $object -}}
{{- $targets := list $object.metadata -}}
{{- if $template -}}{{- $targets = append $targets $template.metadata -}}{{- end -}}
{{- $_ := include "selvage.label" (dict "targets" $targets "root" .root) -}}
{{- if eq $object.kind "PersistentVolumeClaim" -}}
  {{- include "selvage.claim" (dict "claim" $object.spec "class" $values.storageClass "storage" $values.runsStorage) -}}
{{- end -}}
{{- if $template -}}
  {{- $pod := $template.spec -}}
  {{- $container := first $pod.containers -}}
  {{- $parts := dict "object" $object "pod" $pod "container" $container "values" $values "root" .root -}}
  {{- include "selvage.place" $parts -}}
  {{- include "selvage.encrypt" $parts -}}
  {{- if eq $object.kind "StatefulSet" -}}
    {{- include "selvage.broker" $parts -}}
  {{- else -}}
    {{- include "selvage.job" $parts -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- define "selvage.claim" -}}
{{- if .class -}}{{- $_ := set .claim "storageClassName" .class -}}{{- end -}}
{{- if .storage -}}{{- $_ := set .claim.resources.requests "storage" .storage -}}{{- end -}}
{{- end -}}

{{/* Nodes and images. */}}
{{- define "selvage.place" -}}
{{- $pod := .pod -}}
{{- $container := .container -}}
{{- with .values.imagePullSecrets -}}
  {{- $names := list -}}
  {{- range . -}}{{- $names = append $names (dict "name" .) -}}{{- end -}}
  {{- $_ := set $pod "imagePullSecrets" $names -}}
{{- end -}}
{{- with .values.nodeSelector -}}{{- $_ := set $pod "nodeSelector" . -}}{{- end -}}
{{- with .values.tolerations -}}{{- $_ := set $pod "tolerations" (concat $pod.tolerations .) -}}{{- end -}}
{{- with .values.priorityClass -}}{{- $_ := set $pod "priorityClassName" . -}}{{- end -}}
{{- with .values.affinity -}}{{- $_ := set $pod "affinity" (deepCopy .) -}}{{- end -}}
{{- $context := $pod.securityContext -}}
{{- range $key, $value := dict "runAsUser" .values.user "runAsGroup" .values.group "fsGroup" .values.group -}}
  {{- if eq (toString $value) "none" -}}{{- $_ := unset $context $key -}}
  {{- else if $value -}}{{- $_ := set $context $key (int64 $value) -}}{{- end -}}
{{- end -}}
{{- with .values.seccomp -}}
  {{- $parts := splitn "/" 2 . -}}
  {{- if eq . "none" -}}{{- $_ := unset $context "seccompProfile" -}}
  {{- else if $parts._1 -}}{{- $_ := set $context "seccompProfile" (dict "type" $parts._0 "localhostProfile" $parts._1) -}}
  {{- else -}}{{- $_ := set $context "seccompProfile" (dict "type" .) -}}{{- end -}}
{{- end -}}
{{- with .values.imagePullPolicy -}}{{- $_ := set $container "imagePullPolicy" . -}}{{- end -}}
{{- end -}}

{{/* TLS on every connection, instead of --insecure. */}}
{{- define "selvage.encrypt" -}}
{{- $args := list -}}
{{- range $word := .container.args -}}
  {{- if eq $word "--insecure" -}}
    {{- range $link := list "nats" "control" -}}
      {{- $args = concat $args (list (printf "--%s-ca=/tls/ca.crt" $link) (printf "--%s-cert=/tls/tls.crt" $link) (printf "--%s-key=/tls/tls.key" $link)) -}}
    {{- end -}}
  {{- else -}}
    {{- $args = append $args $word -}}
  {{- end -}}
{{- end -}}
{{- if eq .object.kind "StatefulSet" -}}{{- $args = append $args "--config=/tls/nats.conf" -}}{{- end -}}
{{- $_ := set .container "args" $args -}}
{{- $mount := dict "name" "tls" "mountPath" "/tls" "readOnly" true -}}
{{- $_ := set .container "volumeMounts" (append .container.volumeMounts $mount) -}}
{{- $volume := dict "name" "tls" "secret" (dict "secretName" (printf "%s-tls" .root.Release.Name) "defaultMode" 288) -}}
{{- $_ := set .pod "volumes" (append (default list .pod.volumes) $volume) -}}
{{- end -}}

{{/* Of the values, or `cpu` and `mib` as footprint.yaml has them. */}}
{{- define "selvage.resources" -}}
{{- $own := default dict .own -}}
{{- $mib := int (ceil .mib) -}}
{{- $requests := dict "cpu" (default .cpu $own.cpu) "memory" (default (printf "%dMi" $mib) $own.memory) -}}
{{- $limits := dict "memory" (default (printf "%dMi" (add (mul 2 $mib) (int .heapMib))) $own.memoryLimit) -}}
{{- with $own.cpuLimit -}}{{- $_ := set $limits "cpu" . -}}{{- end -}}
{{- $_ := set .container "resources" (dict "requests" $requests "limits" $limits) -}}
{{- end -}}

{{- define "selvage.broker" -}}
{{- $container := .container -}}
{{- $claim := (first .object.spec.volumeClaimTemplates).spec -}}
{{- include "selvage.claim" (dict "claim" $claim "class" .values.storageClass "storage" .values.brokerStorage) -}}
{{- with .values.brokerImage -}}{{- $_ := set $container "image" . -}}{{- end -}}
{{- with .values.broker -}}
  {{- $requests := $container.resources.requests -}}
  {{- if .cpu -}}{{- $_ := set $requests "cpu" .cpu -}}{{- end -}}
  {{- if .cpuLimit -}}{{- $_ := set $container.resources.limits "cpu" .cpuLimit -}}{{- end -}}
  {{- if .memory -}}
    {{- $_ := set $requests "memory" .memory -}}
    {{- $_ := set $container.resources.limits "memory" .memoryLimit -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- define "selvage.job" -}}
{{- $object := .object -}}
{{- $container := .container -}}
{{- $root := .root -}}
{{- $_ := set $container "image" (default (printf "selvage:%s" $root.Chart.AppVersion) .values.image) -}}
{{- range $variable := $container.env -}}
  {{- if eq $variable.name "SELVAGE_LOG_FORMAT" -}}{{- $_ := set $variable "value" (default "text" $root.Values.logs) -}}{{- end -}}
{{- end -}}
{{- with .values.deadline -}}{{- $_ := set $object.spec "activeDeadlineSeconds" (int64 .) -}}{{- end -}}
{{- with .values.queue -}}{{- $_ := set $object.metadata.labels "kueue.x-k8s.io/queue-name" . -}}{{- end -}}
{{- $footprint := fromYaml ($root.Files.Get "footprint.yaml") -}}
{{- $parts := merge (dict "footprint" $footprint) . -}}
{{- if eq $object.metadata.labels.selvage "service" -}}
  {{- include "selvage.services" $parts -}}
{{- else -}}
  {{- include "selvage.coordinator" $parts -}}
{{- end -}}
{{- end -}}

{{- define "selvage.services" -}}
{{- $container := .container -}}
{{- $count := int .values.services -}}
{{- $_ := set .object.spec "completions" $count -}}
{{- $_ := set .object.spec "parallelism" $count -}}
{{- with .values.serviceImage -}}{{- $_ := set $container "image" . -}}{{- end -}}
{{- $own := dict "selvage" "service" "app.kubernetes.io/instance" .root.Release.Name -}}
{{- $selector := dict "matchLabels" $own -}}
{{- $keys := dict "nodes" "kubernetes.io/hostname" "zones" "topology.kubernetes.io/zone" -}}
{{- with get $keys (default "none" .values.spread) -}}
  {{- $constraint := dict "maxSkew" 1 "topologyKey" . "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" $selector -}}
  {{- $_ := set $.pod "topologySpreadConstraints" (list $constraint) -}}
{{- else -}}
  {{- if .values.cluster -}}
    {{- $patch := fromYaml (include "selvage.file" (dict "path" "components/cluster/spread-services.yaml" "root" .root)) -}}
    {{- $_ := set .pod "topologySpreadConstraints" $patch.spec.template.spec.topologySpreadConstraints -}}
  {{- end -}}
{{- end -}}
{{- if .values.antiAffinity -}}
  {{- $required := list (dict "topologyKey" "kubernetes.io/hostname" "labelSelector" $selector) -}}
  {{- $apart := dict "requiredDuringSchedulingIgnoredDuringExecution" $required -}}
  {{- $_ := set .pod "affinity" (merge (dict "podAntiAffinity" $apart) (default dict .pod.affinity)) -}}
{{- end -}}
{{- $devices := int .values.devicesPerService -}}
{{- $partitions := min $devices (int .values.threads) -}}
{{- $needs := .footprint.service -}}
{{- $isolates := ternary 0.0 (mulf $needs.mibPerThread $partitions) (eq $partitions 1) -}}
{{- $mib := addf $needs.mib $isolates (mulf $needs.mibPerDevice $devices) -}}
{{- $cpu := ternary .footprint.shareOfCore (toString $partitions) (eq $devices 1) -}}
{{- include "selvage.resources" (dict "container" $container "own" .values.service "cpu" $cpu "mib" $mib "heapMib" .footprint.heapMib) -}}
{{- end -}}

{{- define "selvage.coordinator" -}}
{{- $container := .container -}}
{{- $args := list -}}
{{- range $word := $container.args -}}
  {{- if hasPrefix "/selvage/examples/" $word -}}
    {{- $args = append $args "/scenario/scenario.yaml" -}}
  {{- else if not (hasPrefix "--services=" $word) -}}
    {{- $args = append $args $word -}}
  {{- end -}}
{{- end -}}
{{- $args = append $args (printf "--services=%d" (int .values.services)) -}}
{{- if gt (int .values.threads) 1 -}}{{- $args = append $args (printf "--threads=%d" (int .values.threads)) -}}{{- end -}}
{{- $_ := set $container "args" $args -}}
{{- include "selvage.observe" . -}}
{{- $mount := dict "name" "scenario" "mountPath" "/scenario" "readOnly" true -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts $mount) -}}
{{- $map := dict "name" (printf "%s-scenario" .root.Release.Name) -}}
{{- $volume := dict "name" "scenario" "configMap" $map -}}
{{- $_ := set .pod "volumes" (append .pod.volumes $volume) -}}
{{- if .values.results -}}{{- include "selvage.results" . -}}{{- end -}}
{{- $needs := .footprint.coordinator -}}
{{- $mib := addf $needs.mib (mulf $needs.mibPerDevice (int .values.devices)) -}}
{{- include "selvage.resources" (dict "container" $container "own" .values.coordinator "cpu" .footprint.coordinatorCpu "mib" $mib "heapMib" .footprint.heapMib) -}}
{{- end -}}

{{/* Results in S3-compatible storage, in place of a volume. */}}
{{- define "selvage.results" -}}
{{- $container := .container -}}
{{- $values := .values -}}
{{- $s3 := default dict $values.s3 -}}
{{- $place := printf "--results=%s/%s" (trimSuffix "/" $values.results) .root.Release.Name -}}
{{- $_ := set $container "args" (append $container.args $place) -}}
{{- $env := $container.env -}}
{{- $plain := hasPrefix "http://" (default "" $s3.endpoint) -}}
{{- with $s3.endpoint -}}{{- $env = append $env (dict "name" "AWS_ENDPOINT_URL" "value" .) -}}{{- end -}}
{{- with $s3.region -}}{{- $env = append $env (dict "name" "AWS_REGION" "value" .) -}}{{- end -}}
{{- with $s3.style -}}{{- $env = append $env (dict "name" "SELVAGE_S3_STYLE" "value" .) -}}{{- end -}}
{{- $env = append $env (dict "name" "AWS_SHARED_CREDENTIALS_FILE" "value" "/storage/credentials") -}}
{{- if and $plain $s3.insecure -}}{{- $env = append $env (dict "name" "SELVAGE_INSECURE" "value" "1") -}}{{- end -}}
{{- $_ := set $container "env" $env -}}
{{- $mount := dict "name" "storage" "mountPath" "/storage" "readOnly" true -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts $mount) -}}
{{- $secret := required "s3.secret names the Secret with the credentials of the storage" $s3.secret -}}
{{- $volumes := list -}}
{{- range .pod.volumes -}}
  {{- if or $values.infrastructure (ne .name "runs") -}}{{- $volumes = append $volumes . -}}{{- end -}}
{{- end -}}
{{- if not $values.infrastructure -}}{{- $volumes = append $volumes (dict "name" "runs" "emptyDir" dict) -}}{{- end -}}
{{- $volume := dict "name" "storage" "secret" (dict "secretName" $secret "defaultMode" 288) -}}
{{- $_ := set .pod "volumes" (append $volumes $volume) -}}
{{- end -}}

{{/* What the coordinator has for the objects of optional/. */}}
{{- define "selvage.observe" -}}
{{- $container := .container -}}
{{- $values := .values -}}
{{- if or $values.events $values.infrastructure $values.finish -}}{{- $_ := set .pod "automountServiceAccountToken" true -}}{{- end -}}
{{- $env := $container.env -}}
{{- if $values.events -}}
  {{- $field := dict "fieldPath" "metadata.labels['batch.kubernetes.io/controller-uid']" -}}
  {{- $env = append $env (dict "name" "SELVAGE_JOB_UID" "valueFrom" (dict "fieldRef" $field)) -}}
{{- end -}}
{{- if $values.infrastructure -}}
  {{- $env = append $env (dict "name" "SELVAGE_STRUCK" "value" "/work/struck.json") -}}
{{- end -}}
{{- if $values.finish -}}
  {{- $env = append $env (dict "name" "SELVAGE_BROKERS" "value" (printf "%s-nats" .root.Release.Name)) -}}
{{- end -}}
{{- $_ := set $container "env" $env -}}
{{- with $values.otlp -}}
  {{- $_ := set $container "args" (append $container.args (printf "--otlp=%s" .)) -}}
{{- end -}}
{{- if $values.metrics -}}
  {{- $_ := set $container "args" (append $container.args "--metrics=0.0.0.0:9464") -}}
  {{- $_ := set $container "ports" (append $container.ports (dict "name" "metrics" "containerPort" 9464)) -}}
  {{- if eq $values.metrics "annotations" -}}
    {{- $scraped := dict "prometheus.io/scrape" "true" "prometheus.io/port" "9464" -}}
    {{- $metadata := .object.spec.template.metadata -}}
    {{- $_ := set $metadata "annotations" (merge $scraped (default dict $metadata.annotations)) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
