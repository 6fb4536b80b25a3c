import { Id, ListOf, Nullable, OneOf, Strict, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { inFolder } from '#/mail/messages/query-schemas.ts'
import { newFolderName, standardFolders } from '#/mail/store/folder-name.ts'
import type { FolderStatus } from '#/mail/store/folders.ts'

export const ByPath = Type.Object({
  path: Type.String({ description: 'The name of the folder, with `/` as `%2F`.', examples: ['Projects%2FApollo'] }),
})

export const FolderOut = Type.Object(
  {
    name: Type.String({ examples: ['inbox'] }),
    role: Nullable(
      OneOf(standardFolders, {
        description: 'The name of one of the six folders that every mailbox has; null for others.',
      }),
    ),
    total: Type.Integer({ minimum: 0, examples: [42] }),
    unread: Type.Integer({ minimum: 0, examples: [3] }),
  },
  { title: 'Folder' },
)
type FolderOut = Static<typeof FolderOut>

export const FoldersQuery = Strict({ mailbox: inFolder.mailbox, ...wholeOrPages })

export const Folders = ListOf(FolderOut)

const named = {
  name: Type.String({
    description: 'A path, such as `Projects/Apollo`. A path with a step `.` or `..` is `invalid_request`.',
    examples: ['Projects/Apollo'],
    rule: newFolderName,
  }),
}

export const FolderBody = Strict(named, { examples: [{ name: 'Projects/Apollo' }] })

export const FolderChange = Strict(named, { examples: [{ name: 'Finished/Apollo' }] })

export const DeletingFolder = Strict({
  mailbox: inFolder.mailbox,
  move_to: Type.Optional(
    Type.String({ description: 'The folder that its mail moves to. A missing one is created.', examples: ['archive'] }),
  ),
})

export const DeletedFolder = Type.Object({
  deleted: Type.Literal(true),
  name: Type.String({ examples: ['Projects/Apollo'] }),
  moved: Type.Integer({ minimum: 0, description: 'How many messages were moved.', examples: [0] }),
  change_id: Nullable({ ...Id, description: 'The change that undoes it; null if no messages were moved.' }),
})

export function presentFolder({ name, total, unread }: FolderStatus): FolderOut {
  return { name, role: standardFolders.find((role) => role === name) ?? null, total, unread }
}
