/** What mail programs give to elements that quote the message before, beside `<blockquote type="cite">`. */
export const quotingClasses = ['gmail_quote', 'protonmail_quote', 'yahoo_quoted', 'moz-cite-prefix']
