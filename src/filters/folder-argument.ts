import { invalid, Refusal } from '#/errors.ts'
import { newFolderName } from '#/messages/folders/folder-name.ts'

/** The folder of a `move`, in canonical form. */
export function folderArgument(argument: string): string {
  try {
    return newFolderName(argument)
  } catch (error) {
    throw ofArgument(error)
  }
}

/** Reports an error of a folder as one of the argument. */
export function ofArgument(error: unknown): unknown {
  return error instanceof Refusal ? invalid('argument', error.message, error.fix) : error
}
