import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import { keywordsKnown } from '#/mail/labels/queries.ts'
import type { Change } from '#/mail/store/change.ts'
import { newFolderName } from '#/mail/store/folder-name.ts'
import type { MessageChange } from './schemas.ts'
import { assertLabelsApart } from './schemas.ts'

/** Reads a change. Checks all that needs no database. */
export function readChange({ unread, starred, add_labels = [], remove_labels = [], folder }: MessageChange): Change {
  assertLabelsApart({ add_labels, remove_labels })
  const labels = add_labels.length + remove_labels.length
  if (unread === undefined && starred === undefined && folder === undefined && labels === 0) {
    throw invalid('body', 'Nothing to change', 'Give unread, starred, add_labels, remove_labels or folder')
  }
  return {
    ...(unread !== undefined && { seen: !unread }),
    ...(starred !== undefined && { flagged: starred }),
    ...(folder !== undefined && { folder: newFolderName(folder) }),
    addKeywords: add_labels,
    removeKeywords: remove_labels,
  }
}

/** Every keyword must belong to a label of the organization, or of the requesting member. Others count as unknown. */
export async function assertKeywordsKnown(
  db: Db,
  owner: Owner,
  { addKeywords = [], removeKeywords = [] }: Change,
): Promise<void> {
  const wanted = [...addKeywords, ...removeKeywords]
  if (wanted.length === 0) return
  const known = await keywordsKnown(db, owner, wanted)
  for (const [field, keywords] of [
    ['add_labels', addKeywords],
    ['remove_labels', removeKeywords],
  ] as const) {
    const at = keywords.findIndex((keyword) => !known.has(keyword))
    if (at >= 0) {
      throw invalid(
        `${field}[${at}]`,
        `No label has the keyword ${JSON.stringify(keywords[at])}`,
        `Take keywords from GET /v1/labels${owner.memberId === null ? '' : ' and /v1/me/labels'}; names are not keywords`,
      )
    }
  }
}
