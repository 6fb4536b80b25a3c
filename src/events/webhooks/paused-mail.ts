import type { Tx } from '#/base/db/schema.ts'
import type { PausedNotice } from '#/events/webhooks/paused-notice.ts'
import { type PostmasterDependencies, postmasterOf } from '#/out/delivery/postmaster.ts'

interface PausedNoticeDependencies extends PostmasterDependencies {
  wake(): void
}

/** Mails the owners that a webhook is paused. The message leaves out the URL, which may contain a secret. */
export function pausedNotice({ wake, ...deps }: PausedNoticeDependencies): PausedNotice {
  return {
    wake,
    from: async (organizationId) => {
      const postmaster = await postmasterOf(deps, organizationId)
      return async (tx, { name, because, failingSince }) => {
        if (!postmaster) return
        const { organization } = postmaster
        const since = failingSince && ` Nothing has been delivered since ${failingSince.toUTCString()}.`
        const paragraphs = [
          `Mailroom has paused the webhook ${name} of ${organization}. Events are not posted to it any more.`,
          `The reason: ${because}.${since ?? ''}`,
          'Once its receiver works, resume the webhook. It continues where it was, with the events of the last 30 days.',
        ]
        for (const to of await ownersOf(tx, organizationId))
          await postmaster.send(tx, { to, subject: `The webhook ${name} is paused`, paragraphs })
      }
    },
  }
}

async function ownersOf(tx: Tx, organizationId: string): Promise<{ name: string; email: string }[]> {
  return await tx
    .selectFrom('members')
    .select(['name', 'email'])
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .orderBy('id')
    .execute()
}
