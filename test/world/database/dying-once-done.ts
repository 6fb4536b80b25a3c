import type { Database } from '#/base/db/open.ts'

/** As though every process died before it stores the answer to a request whose key it has claimed, unless it does so in a transaction that has
 *  written something else. Once disposed, the claims of the dead have ended. */
export async function dyingOnceDone({ pool }: Database): Promise<AsyncDisposable> {
  // A transaction has an id once it has written something: as a statement by itself begins it has none.
  await pool.query(`
    create function note_apart() returns trigger language plpgsql as $$ begin
      perform set_config('test.apart', (pg_current_xact_id_if_assigned() is null)::text, true);
      return null;
    end $$;
    create function die_apart() returns trigger language plpgsql as $$ begin
      if current_setting('test.apart') = 'true' then raise exception 'the process is dead'; end if;
      return new;
    end $$;
    create function keep_claim() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger note_apart before update on idempotency_keys for each statement execute function note_apart();
    create trigger die_apart before update on idempotency_keys for each row
      when (old.claimed_until is not null and new.claimed_until is null) execute function die_apart();
    create trigger keep_claim before delete on idempotency_keys for each row
      when (old.claimed_until is not null) execute function keep_claim()`)
  const over = `
    drop function note_apart, die_apart, keep_claim cascade;
    update idempotency_keys set claimed_until = clock_timestamp() where claimed_until is not null`
  return { [Symbol.asyncDispose]: async () => void (await pool.query(over)) }
}
