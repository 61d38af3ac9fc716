/** Entries of the audit log: planted ones, and those that administrators find. */
import { expect } from "vitest";
import type { TestApp } from "./harness.ts";

export const LOGS = "/api/audit/logs/";

export interface PlantedEntry {
	category?: string;
	action?: string;
	user_id?: number | null;
	username?: string;
	ip_address?: string;
	description?: string;
	created_at?: string;
	content?: Buffer;
	content_compressed?: boolean;
	content_size_bytes?: number;
}

/** Inserts entries as if they had been written at the time; returns their ids. */
export async function plantEntries(t: TestApp, entries: readonly PlantedEntry[]): Promise<number[]> {
	const { rows } = await t.pool.query(
		`insert into audit_unsealed (category, action, user_id, username, ip_address, description, content,
				content_compressed, content_size_bytes, created_at)
			select e.category, e.action, e.user_id, e.username, e.ip_address, e.description, decode(e.content, 'hex'),
				e.content_compressed, e.content_size_bytes, e.created_at
			from jsonb_to_recordset($1) as e(category text, action text, user_id int, username text, ip_address text,
				description text, content text, content_compressed bool, content_size_bytes int, created_at timestamptz)
			returning id`,
		[
			JSON.stringify(
				entries.map((entry) => ({
					category: "time_machine",
					action: "planted",
					user_id: null,
					username: "planted",
					ip_address: "192.0.2.1",
					description: "planted",
					content_compressed: false,
					content_size_bytes: 0,
					created_at: "2026-01-10T12:00:00Z",
					...entry,
					content: entry.content?.toString("hex") ?? null,
				})),
			),
		],
	);
	return rows.map(({ id }) => id);
}

export const listEntries = async (t: TestApp, query: string): Promise<{ id: number; description: string }[]> => {
	const { status, body } = await t.admin.api.get(`${LOGS}?${query}`);
	expect([status, body]).toEqual([200, body]);
	return body.results;
};
export const getIds = async (t: TestApp, query: string): Promise<number[]> =>
	(await listEntries(t, query)).map(({ id }) => id);
