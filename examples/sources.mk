# SPDX-License-Identifier: Apache-2.0

nobase_dist_example_DATA += \
	%D%/README.md \
	%D%/ansible/README.md \
	%D%/ansible/ansible.cfg \
	%D%/ansible/group_vars/electd.yml \
	%D%/ansible/inventory.ini \
	%D%/ansible/roles/electd/defaults/main.yml \
	%D%/ansible/roles/electd/handlers/main.yml \
	%D%/ansible/roles/electd/meta/main.yml \
	%D%/ansible/roles/electd/tasks/folders.yml \
	%D%/ansible/roles/electd/tasks/keys.yml \
	%D%/ansible/roles/electd/tasks/main.yml \
	%D%/ansible/roles/electd/tasks/mode.yml \
	%D%/ansible/roles/electd/tasks/runs.yml \
	%D%/ansible/roles/electd/templates/electd.conf.j2 \
	%D%/ansible/roles/electd/templates/electd.keys.j2 \
	%D%/ansible/roles/electd/vars/main.yml \
	%D%/ansible/site.yml \
	%D%/cron/README.md \
	%D%/cron/nightly-backup \
	%D%/cron/nightly-report \
	%D%/etcd-campaign/README.md \
	%D%/etcd-campaign/campaign.env \
	%D%/etcd-campaign/campaign.service \
	%D%/fencing/README.md \
	%D%/fencing/fence.sql \
	%D%/fencing/report.service \
	%D%/floating-address/README.md \
	%D%/floating-address/floating-address.conf \
	%D%/floating-address/keep.conf \
	%D%/health/README.md \
	%D%/health/gateway.conf \
	%D%/health/health.conf \
	%D%/load-balancer/README.md \
	%D%/load-balancer/haproxy.cfg \
	%D%/load-balancer/leader-check.socket \
	%D%/load-balancer/leader-check@.service \
	%D%/metrics/README.md \
	%D%/metrics/electd.json \
	%D%/metrics/electd.rules.test.yml \
	%D%/metrics/electd.rules.yml \
	%D%/metrics/scrape.yml \
	%D%/run/README.md \
	%D%/run/worker.service \
	%D%/stop-before-start/README.md \
	%D%/stop-before-start/volume.conf \
	%D%/timer/README.md \
	%D%/timer/report.service \
	%D%/timer/report.timer \
	%D%/unit/README.md \
	%D%/unit/leader-only.conf \
	%D%/unit/scheduler.service

nobase_dist_example_SCRIPTS += \
	%D%/etcd-campaign/while-held \
	%D%/fencing/report \
	%D%/fencing/write-file \
	%D%/fencing/write-row \
	%D%/floating-address/10-address \
	%D%/health/disk \
	%D%/health/either \
	%D%/health/file \
	%D%/health/gateway \
	%D%/health/interface \
	%D%/health/postgresql \
	%D%/health/process \
	%D%/health/unit \
	%D%/load-balancer/leader-check \
	%D%/stop-before-start/20-volume \
	%D%/stop-before-start/volume
