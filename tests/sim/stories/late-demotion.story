# SPDX-License-Identifier: Apache-2.0
# A demotion that was not waited for any more ends while the next one runs: that one is waited for
# all the same, until its own hook has ended.
hosts 1
set yield_timeout 1 500ms
hook 1 1s
start all
expect leader 1 within 12 beacons
run 1s
resign 1 for 300ms
run 490ms
expect leader 1
run 20ms
expect leader 1
hook 1 200ms
run 290ms
resign 1 for 10s
expect always leader 1 for 390ms
run 30ms
expect no role 1 leader
