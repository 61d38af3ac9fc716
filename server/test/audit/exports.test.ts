/** Statistics and exports of the audit log. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOGS, listEntries, plantEntries } from "../support/audit-entries.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

describe("stats", () => {
	it("count a window that ends now", async () => {
		const own = await startTestApp();
		try {
			const at = (hours: number) => new Date(own.clock.now() - hours * 3_600_000).toISOString();
			const stats = async (window: string) => (await own.admin.api.get(`${LOGS}stats/?window=${window}`)).body;
			await own.admin.api.get(LOGS);
			await own.anonymous.post("/api/auth/login/", { username: "root", password: "wrong" });
			await own.pool.query(
				`insert into audit_unsealed (category, action, user_id, username, created_at) values
					('time_machine', 'x', 5, 'e', $1), ('time_machine', 'x', 5, 'e', $2), ('admin_action', 'x', 6, 'f', $3),
					('admin_action', 'x', null, '', $3), ('admin_action', 'x', 7, 'g', $4)`,
				[at(23), at(25), at(24 * 6), at(24 * 29)],
			);
			// The first user, who was made, and two sign-ins.
			const signIns = { user_management: 1, authentication: 2 };
			expect(await stats("24h")).toEqual({
				window: "24h",
				total: 4,
				by_category: { ...signIns, time_machine: 1 },
				failed_logins: 1,
				unique_actors: 2,
			});
			expect(await stats("7d")).toMatchObject({
				total: 7,
				by_category: { ...signIns, time_machine: 2, admin_action: 2 },
				unique_actors: 3,
			});
			expect(await stats("30d")).toMatchObject({ total: 8, unique_actors: 4 });
			expect((await own.admin.api.get(`${LOGS}stats/`)).body.window).toBe("24h");
			const { status, body } = await own.admin.api.get(`${LOGS}stats/?window=1y`);
			expect([status, Object.keys(body)]).toEqual([400, ["window"]]);
		} finally {
			await own.close();
		}
	});
});

describe("export", () => {
	it("is CSV of the matching entries, with nothing that a spreadsheet would run, and is recorded", async () => {
		const [a, b] = await plantEntries(t, [
			{ action: "exported", username: "=cmd()", description: 'says "hello", twice\nand more' },
			{ action: "exported", username: "-1+2", description: "@sum", created_at: "2026-01-10T13:00:00Z" },
		]);
		const { status, headers, text } = await t.admin.api.get(`${LOGS}export/?action=exported`);
		expect([status, headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
		expect(headers["content-disposition"]).toBe('attachment; filename="audit-log-2026-01-15.csv"');
		expect(headers["x-total-count"]).toBe("2");
		expect(text).toBe(
			[
				"id,created_at,category,action,username,ip_address,target_type,target_id,description",
				`${b},2026-01-10T13:00:00.000Z,time_machine,exported,'-1+2,192.0.2.1,,,'@sum`,
				`${a},2026-01-10T12:00:00.000Z,time_machine,exported,'=cmd(),192.0.2.1,,,"says ""hello"", twice\nand more"`,
				"",
			].join("\r\n"),
		);
		const [entry] = await listEntries(t, "action=audit_export");
		expect(entry).toMatchObject({
			category: "admin_action",
			username: "root",
			target_type: "audit_log",
			metadata: { filter: { action: "exported" }, rows: 2, matching: 2 },
		});
		expect((await t.admin.api.get(`${LOGS}export/?user=x`)).status).toBe(400);
	});

	it("holds no more than 10,000 rows, says how many match, and leaves itself out", async () => {
		await t.pool.query(
			`insert into audit_unsealed (category, action, username, description, created_at)
				select 'mim_explorer', 'many', 'u', 'many ' || i, timestamptz '2026-01-08' + (i / 3) * interval '1 second'
				from generate_series(1, 10050) i`,
		);
		for (const query of ["action=many", "search=many"]) {
			const { text, headers } = await t.admin.api.get(`${LOGS}export/?${query}`);
			const lines = text.trimEnd().split("\r\n").slice(1);
			expect([lines.length, headers["x-total-count"]]).toEqual([10_000, "10050"]);
			expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(10_000);
			expect([lines[0], lines.at(-1)]).toEqual([
				expect.stringMatching(/many 10050$/),
				expect.stringMatching(/many 51$/),
			]);
		}
		const { text } = await t.admin.api.get(`${LOGS}export/?action=many&ordering=created_at`);
		expect(text.trimEnd().split("\r\n")[1]).toMatch(/many 1$/);
		expect((await t.admin.api.get(`${LOGS}export/?action=audit_export&ordering=created_at`)).text).not.toMatch(
			/\n\s*\n/,
		);
		const before = (await listEntries(t, "action=audit_export")).length;
		const own = await t.admin.api.get(`${LOGS}export/?action=audit_export`);
		expect(own.text.trimEnd().split("\r\n")).toHaveLength(before + 1);
	});
});
