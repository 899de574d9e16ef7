#!/usr/bin/env bash
# Tests of what is in this folder, each with the editor or tool that it is for. What is not installed is
# skipped, and said so.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "skipped: $1"; }

if command -v vim >/dev/null && vim --version | grep -q '+syntax'; then
  vim -Nu NONE -es -S editors/vim/test.vim </dev/null
  echo "ok: highlighting in Vim"
else
  skip "highlighting in Vim (no vim with syntax)"
fi

if command -v nvim >/dev/null; then
  nvim -u NONE --headless -S editors/vim/test.vim </dev/null
  nvim -u NONE --headless -c 'luafile editors/vim/test_book.lua' </dev/null
  echo "ok: highlighting in Neovim, and the book's lines for it"
else
  skip "highlighting in Neovim (no nvim)"
fi

if command -v emacs >/dev/null; then
  emacs --batch -q --eval '(package-initialize)' -L editors/emacs -l editors/emacs/ser-mode-test.el \
    -f ert-run-tests-batch-and-exit 2>&1 | grep -v '^Indenting region'
  echo "ok: ser-mode in Emacs"
else
  skip "ser-mode in Emacs (no emacs)"
fi

# The package of npm fetches the command when it is installed, where it may.
tree_sitter=$(command -v tree-sitter || true)
if [ -z "$tree_sitter" ] && command -v npm >/dev/null; then
  if (cd editors/tree-sitter-ser && npm install --no-audit --no-fund --no-package-lock --fetch-retries=0) >/dev/null 2>&1; then
    tree_sitter=$PWD/editors/tree-sitter-ser/node_modules/.bin/tree-sitter
  fi
fi
if [ -z "$tree_sitter" ]; then
  skip "the tree-sitter grammar (no tree-sitter, and npm has none for this machine)"
else
  (cd editors/tree-sitter-ser && "$tree_sitter" generate && "$tree_sitter" test && TREE_SITTER=$tree_sitter node test/programs.mjs)
  echo "ok: the tree-sitter grammar"
fi

cd editors/vscode
if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
  skip "the extension for VS Code (no npm with Node 20 or newer)"
elif ! npm view esbuild version --fetch-retries=0 --fetch-timeout=10000 >/dev/null 2>&1; then
  skip "the extension for VS Code (the npm registry does not answer)"
else
  npm ci --no-audit --no-fund
  npm test
  npm run package
  echo "ok: the extension for VS Code"
fi
