"""What is known of the frameworks' releases, and whether what runs now is still that.

The words that all adapters use for it:

    stock               what the framework does without us; "left to stock": we do nothing, and it does its own
    to stand in for     do the work of a framework's function, which is then not called, or gets other values than in
                        stock: a *stood-in function*. `stands_in_for` declares one, and says what of ours depends on it
    known text          that of a function in a release that was compared with ours; `known_*.json` has the fingerprints
    own                 a framework's function that nobody has replaced, wrapped or changed, and whose text is known. Of
                        a library without fingerprints here any text counts
    seam                where a stood-in function is looked up at each call; `Seams` looks there
    watch               a snapshot of classes and modules, which says whether one has changed since: `Watch`
    basis               all that a plan was made of: it is used only while that is as it was. Each framework with plans
                        has a `_basis.py`

And which module does what:

    texts               the fingerprints of the functions of a file, and whether a release has them
    functions           of what is found under a name now: `is_own` and its kin, the declarations, `Seams`
    watch               `Watch`; `Functions` and `Classes` keep the answer for classes and modules until one changes
    unknown             the declared functions that are not known, for logs and reports
    tables, releases    the files that are fingerprinted, and the names of distributions; `make known-texts` reads them
"""
