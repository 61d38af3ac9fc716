/** Calls of the routes of change plans and windows that succeed, and the rows that they need. */
import type { TestApp, TestUser } from "./harness.ts";
import type { Call, World } from "./valid-calls.ts";

const PLANS = "/api/change-plans/";
const WINDOWS = "/api/change-windows/";

export interface WindowWorld {
	readonly plan: string;
	readonly draft: string;
	/** Two windows that await approval: one to approve, one to reject. */
	readonly waiting: readonly [string, string];
	readonly planned: string;
	/** Two blocked windows: one to open, one to check again. */
	readonly blocked: readonly [string, string];
	readonly open: string;
	/** Two judged windows: one with a finding, one to sign. */
	readonly judged: readonly [string, string];
	/** Finding of the first judged window. */
	readonly finding: string;
	/** Results of the pre-upgrade script at the first judged window. */
	readonly evidence: string;
}

/** Creates the rows. Writes the states that windows reach by runs on a fabric into the store. */
export async function createWindowWorld(
	t: TestApp,
	{ api }: TestUser,
	{ query, connection }: { readonly query: string; readonly connection: string },
): Promise<WindowWorld> {
	const create = async (path: string, body: object): Promise<string> => {
		const answer = await api.post(path, body);
		if (answer.status !== 201) throw new Error(`the world could not be made: ${answer.status} ${answer.text}`);
		return answer.body.id;
	};
	const plan = await create(PLANS, { name: "Tenants before and after", items: [{ query }] });
	const addWindow = async (state: string, more: object = {}) => {
		const id = await create(WINDOWS, { title: `Window ${state}`, plan, connection_ids: [connection], ...more });
		await t.pool.query("update change_windows set state = $2, opened_at = created_at where id = $1", [id, state]);
		return id;
	};
	const judged = [await addWindow("judged"), await addWindow("judged")] as const;
	const finding = "01890000-0000-7000-8000-00000000000f";
	const data = {
		class: "undeclared",
		severity: "warning",
		connection_id: connection,
		item: 0,
		dn: "uni/tn-found",
		class_name: "fvTenant",
		change: "added",
		detail: "",
		attributes: [],
		dns: [],
		changed_by: [],
		foreign: null,
		expectation: null,
		late: false,
	};
	await t.pool.query(
		`insert into change_window_findings (id, window_id, position, class, connection_id, item, fingerprint, data)
			values ($1, $2, 0, 'undeclared', $3, 0, 'one', $4)`,
		[finding, judged[0], connection, JSON.stringify(data)],
	);
	const files = [{ name: "summary.json", content: '{"PASS": 1, "TOTAL": 1}' }];
	const evidence = await create(`${WINDOWS}${judged[0]}/evidence/`, { files });
	return {
		plan,
		draft: await addWindow("draft"),
		waiting: [await addWindow("waiting"), await addWindow("waiting")],
		planned: await addWindow("planned"),
		blocked: [await addWindow("blocked"), await addWindow("blocked")],
		open: await addWindow("open"),
		judged,
		finding,
		evidence,
	};
}

export const WINDOW_CALLS: Readonly<Record<string, (world: World) => Call>> = {
	"change_plans.create": ({ query }) => ({
		as: "user",
		path: PLANS,
		body: { name: "Another plan", items: [{ query, compare: "no_loss" }] },
	}),
	"change_plans.update": ({ windows }) => ({
		as: "user",
		path: `${PLANS}${windows.plan}/`,
		body: { description: "Tenants of the fabric" },
	}),
	"change_plans.preview": ({ windows, connection }) => ({
		as: "user",
		path: `${PLANS}${windows.plan}/preview/`,
		body: { connection_ids: [connection] },
	}),
	"change_windows.create": ({ windows, connection }) => ({
		as: "user",
		path: WINDOWS,
		body: { title: "VLANs of rack 7", plan: windows.plan, connection_ids: [connection] },
	}),
	"change_windows.update": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.draft}/`,
		body: { title: "VLANs of rack 8" },
	}),
	"change_windows.replace_expectations": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.draft}/expectations/`,
		body: { expectations: [{ dn: "uni/tn-prod" }] },
	}),
	"change_windows.import_expectations": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.draft}/expectations/import/`,
		body: { format: "yaml", content: "- dn: uni/tn-other\n" },
	}),
	"change_windows.attach_evidence": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.draft}/evidence/`,
		body: { files: [{ name: "summary.json", content: '{"PASS": 26, "TOTAL": 26}' }] },
	}),
	"change_windows.approve": ({ windows }) => ({
		as: "admin",
		path: `${WINDOWS}${windows.waiting[0]}/approve/`,
		body: {},
	}),
	"change_windows.reject": ({ windows }) => ({
		as: "admin",
		path: `${WINDOWS}${windows.waiting[1]}/reject/`,
		body: { reason: "Not tonight" },
	}),
	"change_windows.override": ({ windows }) => ({
		as: "admin",
		path: `${WINDOWS}${windows.blocked[0]}/override/`,
		body: { reason: "Agreed" },
	}),
	"change_windows.start": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.planned}/start/`,
		body: {},
	}),
	"change_windows.retry": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.blocked[1]}/retry/`,
		body: {},
	}),
	"change_windows.finish": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.open}/finish/`,
		body: { now: false },
	}),
	"change_windows.accept_finding": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.judged[0]}/findings/${windows.finding}/accept/`,
		body: { reason: "Known" },
	}),
	"change_windows.sign": ({ windows }) => ({
		as: "user",
		path: `${WINDOWS}${windows.judged[1]}/sign/`,
		body: { comment: "Seen" },
	}),
};
