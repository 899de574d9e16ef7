;;; ser-mode.el --- Major mode for ser programs -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0
;; Version: 0.1.0
;; Package-Requires: ((emacs "26.1"))
;; Keywords: languages

;;; Commentary:

;; Highlighting, comments and indentation for `.ser' files, and how eglot starts the language server.
;; `ser-unw-mode' does the same for `.unw' files.
;; Everything else (diagnostics, verdicts, repairs, formatting) comes from `ser lsp' through eglot.

;;; Code:

(defgroup ser nil
  "Programs whose serializability is checked by ser."
  :group 'languages)

(defcustom ser-indent-offset 4
  "Blanks for each brace, as `ser fmt' has it."
  :type 'integer
  :safe #'integerp)

(defcustom ser-program "ser"
  "The program ser: a name on the path, or a path."
  :type 'string)

(defvar ser-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    ;; Names of goals stand in quotes.
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "." table)
    (dolist (operator '(?+ ?- ?< ?> ?= ?! ?& ?| ?: ?. ??))
      (modify-syntax-entry operator "." table))
    table)
  "Comments as in C; strings are names of goals and paths of files.")

(defvar ser-font-lock-keywords
  '(("\\_<\\(request\\)\\_>\\(?:[ \t\n]+\\([A-Za-z_][A-Za-z0-9_]*\\)\\)?"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face nil t))
    ("\\_<\\(const\\)\\_>\\(?:[ \t\n]+\\([A-Za-z_][A-Za-z0-9_]*\\)\\)?"
     (1 font-lock-keyword-face) (2 font-lock-constant-face nil t))
    ("\\_<\\(var\\|lock\\|enum\\|record\\|type\\|fn\\)[ \t\n]+\\([A-Za-z_][A-Za-z0-9_]*\\)"
     (1 font-lock-keyword-face) (2 font-lock-type-face))
    ("\\_<\\(use\\)[ \t\n]*\"" 1 font-lock-keyword-face)
    ;; Words of processes, where they can stand.
    ("\\_<\\(set\\|index\\|msg\\)[ \t\n]+\\([A-Za-z_][A-Za-z0-9_]*\\)"
     (1 font-lock-keyword-face) (2 font-lock-type-face))
    ("\\_<\\(process\\|invariant\\)[ \t\n]+\\([A-Za-z_][A-Za-z0-9_]*\\)"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    ("\\_<\\(server\\)[ \t\n]+process\\_>" 1 font-lock-keyword-face)
    ("\\_<\\(reach\\)[ \t\n]*[\"A-Za-z_(!]" 1 font-lock-keyword-face)
    ("\\_<\\(atomic\\)[ \t\n]*{" 1 font-lock-keyword-face)
    ("\\_<\\(await\\)[ \t\n]*[A-Za-z0-9_(!]" 1 font-lock-keyword-face)
    ("\\_<\\(send\\|recv\\|to\\|from\\)[ \t\n]+[A-Za-z0-9_(]" 1 font-lock-keyword-face)
    ("\\_<\\(skip\\)[ \t\n]*\\(?:[;}/]\\|$\\)" 1 font-lock-keyword-face)
    ("\\_<\\(bits\\)[ \t\n]+[A-Za-z0-9_]" 1 font-lock-type-face)
    ("\\_<\\(queue\\)[ \t\n]*\\[" 1 font-lock-type-face)
    ("\\][ \t\n]*\\(of\\)\\_>" 1 font-lock-type-face)
    ("\\_<\\(at\\|done\\|len\\|malloc\\)[ \t\n]*(" 1 font-lock-builtin-face)
    ;; Words of threads, and of what is claimed of them.
    ("^[ \t]*\\(deadlock\\)[ \t]*\\(?:/\\|$\\)" 1 font-lock-keyword-face)
    ("\\_<\\(proof\\)[ \t\n]+\\(?:\\(acyclic\\)[ \t\n]+\\)?{"
     (1 font-lock-keyword-face) (2 font-lock-keyword-face nil t))
    ("\\_<\\(ghost\\)[ \t\n]+\\(?:{\\|var\\_>\\)" 1 font-lock-keyword-face)
    ("\\_<\\(follows\\)[ \t\n]+from\\_>" 1 font-lock-keyword-face)
    ("\\_<\\(at\\|unlock\\|use\\)[ \t\n]+[A-Za-z_]" 1 font-lock-keyword-face)
    ("\\_<\\(self\\|other\\)[ \t\n]+use\\_>" 1 font-lock-keyword-face)
    ("\\_<\\(where\\)[ \t\n]+[A-Za-z0-9_(!]" 1 font-lock-keyword-face)
    ("\\_<subset\\_>" . font-lock-keyword-face)
    ("\\_<\\(?:null\\|nobody\\|lowest\\|highest\\)\\_>" . font-lock-constant-face)
    ("\\_<\\(?:int\\|bool\\)\\_>" . font-lock-type-face)
    ("\\_<exit\\_>" . font-lock-warning-face)
    ("\\_<yield\\_>" . font-lock-preprocessor-face)
    ("\\_<for +\\(all\\|some\\)\\_> +[[:alpha:]_]" 1 font-lock-keyword-face)
    ("\\_<\\(?:abort\\|and\\|assert\\|assume\\|break\\|choose\\|continue\\|else\\|false\\|for\\|if\\|in\\|loop\\|match\\|not\\|or\\|return\\|true\\|while\\|with\\)\\_>"
     . font-lock-keyword-face)
    ("\\_<\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t\n]+in\\_>" 1 font-lock-type-face)
    ("\\?" . font-lock-builtin-face)
    ("\\_<[0-9]+\\_>" . font-lock-constant-face)
    ;; Uppercase means global, also where people ignore case when they search.
    ((lambda (limit)
       (let ((case-fold-search nil))
         (re-search-forward "\\_<[A-Z][A-Za-z0-9_]*\\_>" limit t)))
     . font-lock-variable-name-face))
  "What is highlighted in `ser-mode', apart from comments.")

(defun ser-indent-line ()
  "Indent the line by the braces and parentheses around it."
  (interactive)
  (let* ((state (save-excursion (syntax-ppss (line-beginning-position))))
         (closing (save-excursion
                    (back-to-indentation)
                    (skip-chars-forward ")}")
                    (- (point) (progn (back-to-indentation) (point)))))
         (depth (max 0 (- (car state) closing))))
    ;; The text of a block comment stays where its author put it.
    (unless (nth 4 state)
      (if (<= (current-column) (current-indentation))
          (indent-line-to (* ser-indent-offset depth))
        (save-excursion (indent-line-to (* ser-indent-offset depth)))))))

;;;###autoload
(define-derived-mode ser-mode prog-mode "ser"
  "Major mode for programs whose serializability is checked by ser."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*")
  (setq-local indent-line-function #'ser-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local electric-indent-chars (append "{})" electric-indent-chars))
  (setq-local imenu-generic-expression
              '((nil "^[ \t]*\\(?:request\\|process\\)[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1)))
  (setq-local font-lock-multiline t)
  (setq-local font-lock-defaults '(ser-font-lock-keywords nil nil)))

(defvar ser-unw-font-lock-keywords
  `(("\\_<\\(transition\\|target\\)\\_>[ \t\n]+\\([A-Za-z_][A-Za-z0-9_]*\\)"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    ("\\_<\\(place\\|enum\\|in\\|test\\|out\\)\\_>[ \t\n]+\\([A-Za-z_][A-Za-z0-9_]*\\)"
     (1 font-lock-keyword-face) (2 font-lock-type-face))
    ("\\_<\\(?:var\\|when\\)\\_>" . font-lock-keyword-face)
    ("\\_<\\(?:bits\\|bool\\|unit\\)\\_>" . font-lock-type-face)
    ,@ser-font-lock-keywords)
  "What is highlighted in `ser-unw-mode', apart from comments.")


;;;###autoload
(define-derived-mode ser-unw-mode ser-mode "ser unwinding"
  "Major mode for unwindings, of which ser tells what they can reach."
  (setq-local imenu-generic-expression
              '((nil "^[ \t]*transition[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1)))
  (setq-local font-lock-defaults '(ser-unw-font-lock-keywords nil nil)))

;;;###autoload

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ser\\'" . ser-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\.unw\\'" . ser-unw-mode))
;;;###autoload

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '(ser-mode ser-unw-mode)
                     (lambda (&rest _) (list ser-program "lsp")))))

(provide 'ser-mode)
;;; ser-mode.el ends here
