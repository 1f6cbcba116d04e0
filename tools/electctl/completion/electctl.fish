# SPDX-License-Identifier: Apache-2.0
#
# fish completion: offers the words that `electctl --complete` prints.

function __electctl
    set -l words (commandline -opc) "$(commandline -ct)"
    for line in ($words[1] --complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :hosts
                $words[1] --quiet --plain members 2>/dev/null | cut -f 2 |
                    string match --regex '^[A-Za-z0-9._-]+$'
            case ':command *'
                set -l first (math (string replace ':command ' '' -- $line) + 2)
                complete -C "$words[$first..-1]"
            case '*'
                echo $line
        end
    end
end

complete -c electctl -f -a '(__electctl)'
