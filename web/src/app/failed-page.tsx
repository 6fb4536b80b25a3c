import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../parts/form/button.tsx'
import { Page } from '../parts/page/page.tsx'
import { NotLoaded, recover } from '../parts/state/loading-parts.ts'

/** How often it is tried to load a page that could not be loaded, in milliseconds. */
const everyMs = 3_000

/** Shown instead of a page that failed. */
export function FailedPage({ error }: ErrorComponentProps) {
  const isNotLoaded = error instanceof NotLoaded
  const reload = (
    <Button look="primary" onPress={() => void (isNotLoaded ? recover({ isAsked: true }) : location.reload())}>
      Load the page again
    </Button>
  )
  return (
    <div role="alert">
      <Page
        title="This page cannot be shown"
        about={isNotLoaded ? 'The service could not be reached. The page is loaded once it answers.' : `${error}`}
        actions={reload}
      >
        {isNotLoaded ? (
          <Recovery />
        ) : (
          <Link to="/" reloadDocument>
            Go to the overview
          </Link>
        )}
      </Page>
    </div>
  )
}

/** Loads the page again once the service answers. */
function Recovery() {
  useEffect(() => {
    void recover()
    const timer = setInterval(() => void recover(), everyMs)
    return () => clearInterval(timer)
  }, [])
  return null
}
