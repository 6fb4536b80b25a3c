/** Finds where the text starts of a message whose header no empty line ends (RFC 7103, section 7.2). It is told each line of the
 *  header in turn. The text starts at a line that is no field, or behind a line of white space alone. If a field of a header follows
 *  all the same, that line was an accident within the header. */
export class MissingSeparator {
  /** Where the text starts, as far as is known now; undefined while the header goes on. */
  textStart: number | undefined
  /** How many fields came before that. */
  fieldsBefore = 0
  /** The line by which it is known. */
  #startedBy: number | undefined
  /** The line after one of white space, which ends the header unless a field comes. */
  #afterBlank: number | undefined
  /** Where fields start whose names are words that no program gives to one, and how many came before. They are of the header only
   *  if an empty line follows. */
  #words: { readonly line: number; readonly fields: number } | undefined
  /** A delimiter was seen. It belongs to no header, so no field behind it does. */
  #delimited = false
  /** The names of fields that a header has once: of the header so far, and of what looks like its text. */
  readonly #names = new Set<string>()
  #namesInText: string[] = []

  /** A line that starts with white space. Behind one that has nothing else it may continue the field (RFC 5322, section 4.2), or be
   *  the text's first. */
  continuation(line: number, next: number, isBlank: boolean): void {
    if (isBlank && (this.#afterBlank ?? line) === line) this.#afterBlank = next
  }

  /** A line that is no field. */
  text(line: number, fields: number, isDelimiter: boolean): void {
    this.#start(line, fields)
    this.#delimited ||= isDelimiter
  }

  /** A line that has the form of a field, which text may have too: `Note: call me`. */
  field(line: number, name: string, fields: number): void {
    const isOnce = ONCE.has(name)
    if (this.textStart !== undefined || this.#afterBlank !== undefined) {
      if (!this.#delimited && (REPEATED.test(name) || (isOnce && !this.#names.has(name)))) this.#continues()
      else this.#start(line, fields)
    }
    if (isOnce || name.includes('-') || WORDS.has(name)) this.#words = undefined
    else this.#words ??= { line, fields }
    if (!isOnce) return
    if (this.textStart === undefined) this.#names.add(name)
    else this.#namesInText.push(name)
  }

  /** The line was the beginning of a field after all, folded before its colon. */
  folded(line: number): void {
    if (this.#startedBy === line) this.#continues()
  }

  /** What looked like text was of the header. */
  #continues(): void {
    this.textStart = undefined
    this.#afterBlank = undefined
    for (const name of this.#namesInText) this.#names.add(name)
    this.#namesInText = []
  }

  #start(line: number, fields: number): void {
    if (this.textStart !== undefined) return
    this.#startedBy = line
    const words = this.#afterBlank === undefined && this.#names.size > 0 ? this.#words : undefined
    this.textStart = words?.line ?? this.#afterBlank ?? line
    this.fieldsBefore = words?.fields ?? fields
  }
}

/** Fields that a header has once, and of which a text may quote another. */
const ONCE = new Set([
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'content-disposition', 'content-id'],
  ...['content-description', 'content-language', 'content-location', 'return-path', 'user-agent', 'thread-topic'],
  ...['thread-index', 'auto-submitted', 'precedence', 'feedback-id', 'accept-language', 'errors-to'],
  ...['disposition-notification-to', 'mailing-list', 'list-id', 'list-unsubscribe-post', 'autocrypt'],
])

/** Other names of fields that are words. */
const WORDS = new Set([
  ...['received', 'organization', 'lines', 'newsgroups', 'path', 'xref', 'expires', 'supersedes', 'approved', 'status'],
  ...['importance', 'priority', 'sensitivity', 'keywords', 'comments', 'encrypted', 'language'],
])

/** Fields that a header may have more than once, and whose names start no line of a text. */
const REPEATED =
  /^(?:x-[a-z]|arc-[a-z]|resent-[a-z]|authentication-results|dkim-signature|received|delivered-to|list-(?:unsubscribe|post|help|archive|subscribe|owner))/
