/* SPDX-License-Identifier: Apache-2.0 */
/* verbs: the main functions of electsim's verbs; argv[0] is the verb. */
#ifndef ELECTSIM_CLI_VERBS_H
#define ELECTSIM_CLI_VERBS_H

int run_main(int argc, char **argv);
int story_main(int argc, char **argv);
int bounds_main(int argc, char **argv);
int changes_main(int argc, char **argv);
int scale_main(int argc, char **argv);
int exact_main(int argc, char **argv);
int promise_main(int argc, char **argv);
int compare_main(int argc, char **argv);

#endif
