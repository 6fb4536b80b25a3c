import { invalid, Refusal } from '#/errors.ts'
import { newFolderName } from '#/messages/folder-name.ts'

/** The folder that a filter moves to, as mail hosts have it. */
export function folderArgument(argument: string): string {
  try {
    return newFolderName(argument)
  } catch (error) {
    throw ofArgument(error)
  }
}

/** What is wrong with a folder, said of the filter's argument. */
export function ofArgument(error: unknown): unknown {
  return error instanceof Refusal ? invalid('argument', error.message, error.fix) : error
}
