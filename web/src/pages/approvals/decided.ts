import { ApiError } from '../../api/call.ts'

/** Explains a conflict: the draft was changed after the request. */
export async function decided(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (error instanceof ApiError && error.status === 409 && error.field === 'id')
      throw new Error(
        'The draft was changed after approval was asked for. Nothing was sent; approval must be asked for again.',
      )
    throw error
  }
}
