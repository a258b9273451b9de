#!/bin/bash
# The daily commands of git in the folder given, then in a clone of it.
set -euo pipefail
cd "$1"
top=$PWD
export GIT_CONFIG_GLOBAL=$top/.config-global
git config --global user.name Tester
git config --global user.email tester@example.test
git config --global init.defaultBranch main
git init -q repository
cd repository
for n in 1 2 3; do
  echo "line $n" >>file
  git add file
  git commit -qm "commit $n"
done
git switch -qc side HEAD~1
echo other >other && git add other && git commit -qm side
git switch -q main && git merge -q --no-edit side
git diff --stat HEAD~1 | tail -1
git tag -am one v1
git stash list
git gc -q
git fsck --no-progress
git clone -q . ../clone
cd ../clone
git log --oneline | wc -l
echo more >>file
git diff | tail -1
git commit -qam four && git push -q origin HEAD:refs/heads/pushed
git -C ../repository log -1 --format=%s pushed
git grep -n 'line 2'
git archive HEAD | tar -t | sort | xargs
git worktree add -q ../tree HEAD~1 && git worktree list | wc -l
