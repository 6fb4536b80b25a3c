import type { Change } from '../../api/generated.ts'
import { folderName } from '../../parts/text/folder-name.ts'
import { count } from '../../parts/text/size.ts'

const causes: Readonly<Partial<Record<Change['kind'], string>>> = {
  filters: 'Filters: ',
  label_removed: 'Label removed: ',
  labels_merged: 'Labels merged: ',
  folder_deleted: 'Folder deleted: ',
  undo: 'Undone: ',
}

const words: Readonly<Record<Change['did'][number], string>> = {
  moved: 'moved',
  read: 'marked as read',
  unread: 'marked as unread',
  starred: 'starred',
  unstarred: 'no longer starred',
  labelled: 'labelled',
  unlabelled: 'with a label taken off',
}

/** A change in words: its effect, and the number of messages. */
export function changeText({
  kind,
  messages,
  did,
  moved_to,
}: Pick<Change, 'kind' | 'messages' | 'did' | 'moved_to'>): string {
  const many = messages === 1 ? 'One message' : `${count(messages)} messages`
  const done = did.map((one) => (one === 'moved' ? `moved to ${moved_to.map(folderName).join(', ')}` : words[one]))
  return `${causes[kind] ?? ''}${many} ${done.join(', ') || 'changed'}`
}
