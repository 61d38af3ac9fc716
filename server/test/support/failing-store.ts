/** A store that refuses to write one kind of row, as if the process ended at that point. */
import type pg from "pg";

export interface Refusal {
	/** Queue tasks of a queue that have failed because of it. */
	count(queue: string): Promise<number>;
	stop(): Promise<void>;
}

/**
 * @param at.as a name that occurs once in the test file
 * @param at.when SQL on `new`; all rows where it is absent
 */
export async function refuseWrites(
	pool: pg.Pool,
	{ table, event, as, when }: { table: string; event: "insert" | "update"; as: string; when?: string },
): Promise<Refusal> {
	await pool.query(`
		create function ${as}() returns trigger language plpgsql as $$ begin raise exception 'refused: ${as}'; end $$;
		create trigger ${as} before ${event} on ${table} for each row ${when ? `when (${when})` : ""} execute function ${as}()`);
	return {
		async count(queue) {
			const { rows } = await pool.query(
				"select count(*)::int as n from pgboss.job where name = $1 and output::text like $2",
				[queue, `%refused: ${as}%`],
			);
			return rows[0].n;
		},
		async stop() {
			await pool.query(`drop trigger ${as} on ${table}; drop function ${as}`);
		},
	};
}
