import { invalid, Refusal } from '#/base/errors.ts'
import { newFolderName } from '#/mail/store/folder-name.ts'

/** The folder of a `move`, in canonical form. Reports an error of the folder as one of the argument. */
export function folderArgument(argument: string): string {
  try {
    return newFolderName(argument)
  } catch (error) {
    throw error instanceof Refusal ? invalid('argument', error.message, error.fix) : error
  }
}
