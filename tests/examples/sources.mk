# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/ansible.py \
	%D%/cron.py \
	%D%/etcd_campaign.py \
	%D%/fencing.py \
	%D%/floating_address.py \
	%D%/guide.py \
	%D%/health.py \
	%D%/listening.py \
	%D%/load_balancer.py \
	%D%/metrics.py \
	%D%/run.py \
	%D%/run.sh \
	%D%/spans.py \
	%D%/stop_before_start.py \
	%D%/timer.py \
	%D%/unit.py
