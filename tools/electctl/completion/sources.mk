# SPDX-License-Identifier: Apache-2.0

# The folders where each shell looks, below /usr; bash also looks below /usr/local.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = %D%/electctl
zshcompletiondir = $(datadir)/zsh/vendor-completions
dist_zshcompletion_DATA = %D%/_electctl
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = %D%/electctl.fish
