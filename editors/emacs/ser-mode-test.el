;;; ser-mode-test.el --- Tests of ser-mode -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; emacs --batch -Q -L editors/emacs -l ser-mode-test.el -f ert-run-tests-batch-and-exit

;;; Code:

(require 'ert)
(require 'ser-mode)

(defvar eglot-server-programs)

(defconst ser-mode-test-examples
  (expand-file-name "../../examples" (file-name-directory (or load-file-name buffer-file-name))))

(defun ser-mode-test-face (text word &optional mode)
  "The face of the first WORD in TEXT, in MODE or else in `ser-mode'."
  (with-temp-buffer
    (insert text)
    (funcall (or mode #'ser-mode))
    (font-lock-ensure)
    (goto-char (point-min))
    (search-forward word)
    (get-text-property (match-beginning 0) 'face)))

(ert-deftest ser-mode-files-are-recognised ()
  (pcase-dolist (`(,name . ,mode) '(("a.ser" . ser-mode) ("a.unw" . ser-unw-mode)))
    (should (eq (assoc-default name auto-mode-alist #'string-match) mode))))

(ert-deftest ser-mode-words-of-processes-have-their-faces ()
  (let ((text "enum Vote { none }\nvar Q: queue[2] of 0..3\nvar X: 0..3\nprocess Put(id in 0..1) { for _ in 1..2 { await(len(Q) < 2); send id to Q } }\nreach \"both // of\": done(Put(1))"))
    (pcase-dolist (`(,word . ,face)
                   '(("enum" . font-lock-keyword-face) ("Vote" . font-lock-type-face)
                     ("queue" . font-lock-type-face) ("of" . font-lock-type-face)
                     ("process" . font-lock-keyword-face)
                     ("Put" . font-lock-function-name-face) ("id in" . font-lock-type-face)
                     ("for" . font-lock-keyword-face) ("await" . font-lock-keyword-face)
                     ("len" . font-lock-builtin-face) ("send" . font-lock-keyword-face)
                     ("reach" . font-lock-keyword-face) ("both // of" . font-lock-string-face)
                     ("done" . font-lock-builtin-face)))
      (should (equal (cons word (ser-mode-test-face text word)) (cons word face))))))

(ert-deftest ser-mode-words-of-unwindings-have-their-faces ()
  (let ((text "place px : 0..3\ntransition t { in py(a); test pz(b); when a < b }\ntarget u"))
    (pcase-dolist (`(,word . ,face)
                   '(("place" . font-lock-keyword-face) ("px" . font-lock-type-face)
                     ("transition" . font-lock-keyword-face) ("t {" . font-lock-function-name-face)
                     ("in py" . font-lock-keyword-face) ("py" . font-lock-type-face)
                     ("test" . font-lock-keyword-face) ("when" . font-lock-keyword-face)
                     ("target" . font-lock-keyword-face) ("u" . font-lock-function-name-face)))
      (should (equal (cons word (ser-mode-test-face text word #'ser-unw-mode)) (cons word face))))))

(ert-deftest ser-mode-words-of-messages-have-their-faces ()
  (let ((text "set Q;\nmsg Work = Task(Q) | None;\nserver process server { loop { recv Work; send None to q; } }\nprocess w for q in Q { assert true; index := 1 }"))
    (pcase-dolist (`(,word . ,face)
                   '(("set" . font-lock-keyword-face) ("Q;" . font-lock-type-face)
                     ("msg" . font-lock-keyword-face) ("Work" . font-lock-type-face)
                     ("Task" . font-lock-variable-name-face)
                     ("server process" . font-lock-keyword-face) ("server {" . font-lock-function-name-face)
                     ("loop" . font-lock-keyword-face) ("recv" . font-lock-keyword-face)
                     ("send" . font-lock-keyword-face) ("assert" . font-lock-keyword-face)
                     ("index" . nil)))
      (should (equal (cons word (ser-mode-test-face text word)) (cons word face))))))

(ert-deftest ser-mode-words-have-their-faces ()
  (let ((text "const LIMIT = 3\nrequest put(v in 0..2) { if (Open and v == 1) { yield }; y := choose(1..2); abort; exit }"))
    (pcase-dolist (`(,word . ,face)
                   '(("const" . font-lock-keyword-face) ("LIMIT" . font-lock-constant-face)
                     ("3" . font-lock-constant-face) ("request" . font-lock-keyword-face)
                     ("put" . font-lock-function-name-face) ("v in" . font-lock-type-face)
                     ("in 0" . font-lock-keyword-face) ("if" . font-lock-keyword-face)
                     ("Open" . font-lock-variable-name-face) ("and" . font-lock-keyword-face)
                     ("v ==" . nil) ("yield" . font-lock-preprocessor-face) ("y :=" . nil)
                     ("choose" . font-lock-keyword-face) ("abort" . font-lock-keyword-face)
                     ("exit" . font-lock-warning-face)))
      (should (equal (cons word (ser-mode-test-face text word)) (cons word face))))))

(ert-deftest ser-mode-comments-are-comments ()
  (should (eq (ser-mode-test-face "X // Y := 1\nZ" "Y") 'font-lock-comment-face))
  (should (eq (ser-mode-test-face "X // Y := 1\nZ" "Z") 'font-lock-variable-name-face))
  (should (eq (ser-mode-test-face "X /* a\n request */ Z" "request") 'font-lock-comment-face))
  (should (eq (ser-mode-test-face "X /* a\n request */ Z" "Z") 'font-lock-variable-name-face))
  ;; An apostrophe in a comment, or anywhere else, starts no string.
  (should (eq (ser-mode-test-face "// don't\nX" "X") 'font-lock-variable-name-face)))

(ert-deftest ser-mode-comments-can-be-made-and-taken-away ()
  (with-temp-buffer
    (insert "X := 1")
    (ser-mode)
    (comment-region (point-min) (point-max))
    (should (equal (buffer-string) "// X := 1"))
    (uncomment-region (point-min) (point-max))
    (should (equal (buffer-string) "X := 1"))))

(ert-deftest ser-mode-indentation-follows-braces ()
  (with-temp-buffer
    (insert "request main {\nif (X) {\nY := 1\n} else {\nyield\n};\n/* as\n     it is */\n0\n}\n")
    (ser-mode)
    (indent-region (point-min) (point-max))
    (should (equal (buffer-string)
                   "request main {\n    if (X) {\n        Y := 1\n    } else {\n        yield\n    };\n    /* as\n     it is */\n    0\n}\n"))))

(ert-deftest ser-mode-examples-keep-the-indentation-of-their-blocks ()
  (dolist (file (append (directory-files ser-mode-test-examples t "\\.ser\\'")
                        (directory-files-recursively ser-mode-test-examples "\\.\\(ser\\|unw\\)\\'")))
    (with-temp-buffer
      (insert-file-contents file)
      (let ((before (buffer-string)))
        (funcall (assoc-default file auto-mode-alist #'string-match))
        (indent-region (point-min) (point-max))
        (should (equal (cons file before) (cons file (buffer-string))))))))

(ert-deftest ser-mode-eglot-knows-the-server ()
  (skip-unless (require 'eglot nil t))
  (let ((entry (assoc '(ser-mode ser-unw-mode)
                      eglot-server-programs)))
    (should (equal (funcall (cdr entry) nil) '("ser" "lsp")))))

;; The book's lines for an init file can be read, and name functions that there are.
(ert-deftest ser-mode-lines-in-the-book-can-be-read ()
  (with-temp-buffer
    (insert-file-contents (expand-file-name "../docs/editors.md" ser-mode-test-examples))
    (let ((count 0))
      (while (re-search-forward "^```elisp\n\\(\\(?:.*\n\\)*?\\)```$" nil t)
        (setq count (1+ count))
        (let ((block (match-string 1)) (start 0))
          (while (string-match-p "[^ \n]" block start)
            (pcase-let ((`(,form . ,end) (read-from-string block start)))
              (should (fboundp (car form)))
              (setq start end)))))
      (should (> count 0)))))

;;; ser-mode-test.el ends here
