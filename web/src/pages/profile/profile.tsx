import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { lazily } from '../../parts/state/loading-parts.ts'
import { Part } from '../../parts/state/part.tsx'
import { meQuery } from '../../session/me.ts'
import { waysQuery } from '../../session/ways.ts'
import { AccessChanges } from './access-changes.tsx'
import { AddSecondFactor } from './add-second-factor.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordForm } from './password-form.tsx'
import styles from './profile.module.css'
import { RemoveSecondFactor } from './remove-second-factor.tsx'
import { Sessions } from './sessions.tsx'

// Formatted text is loaded with the part that shows it.
const Signatures = lazily(() => import('./signatures.tsx'))

/** The signed-in member, their ways to sign in, and their sessions. */
export function Profile() {
  const query = useQuery(meQuery)
  const off = useQuery(waysQuery).data?.password === false
  const [asked, ask] = useState<'password' | 'add' | 'remove'>()
  const close = () => ask(undefined)
  return (
    <Page title="Your profile" {...(query.data && { about: `${query.data.email}, ${query.data.role}` })}>
      <Loaded query={query} what="your account">
        {({ has_password, has_totp, has_passkey }) => (
          <>
            <Card>
              <dl className={styles.ways}>
                <div>
                  <dt>Password</dt>
                  <dd>
                    {off
                      ? 'Not used here'
                      : has_password
                        ? 'Set'
                        : has_passkey
                          ? 'None'
                          : 'None: you sign in by a link'}
                    {!off && (
                      <Button onPress={() => ask('password')}>
                        {has_password ? 'Change password' : 'Set a password'}
                      </Button>
                    )}
                  </dd>
                </div>
                {(!off || has_totp) && (
                  <div>
                    <dt>Second factor</dt>
                    <dd>
                      {has_totp ? 'Codes of an application' : has_password ? 'None' : 'None: it needs a password'}
                      {has_totp ? (
                        <Button onPress={() => ask('remove')}>Remove second factor</Button>
                      ) : (
                        <Button onPress={() => ask('add')} isDisabled={!has_password}>
                          Add a second factor
                        </Button>
                      )}
                    </dd>
                  </div>
                )}
              </dl>
            </Card>
            {asked === 'password' && <PasswordForm changes={has_password} onClose={close} />}
          </>
        )}
      </Loaded>
      {asked === 'add' && <AddSecondFactor onClose={close} />}
      {asked === 'remove' && <RemoveSecondFactor onClose={close} />}
      <Passkeys />
      <Part name="The list of signatures">
        <Signatures />
      </Part>
      <Section title="Where you are signed in">
        <Sessions />
      </Section>
      <AccessChanges />
    </Page>
  )
}
