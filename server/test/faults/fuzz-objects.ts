/** Objects that generated requests are about: made first, and again when requests deleted them. */
import { TEST_PASSWORD } from "../support/harness.ts";
import type { RunningService } from "../support/process.ts";

type Id = string | number;

export interface FuzzObjects {
	/** Ids of existing objects. @param place the path of their list, such as `/api/auth/groups/` */
	getIds(place: string): readonly Id[];
	/** Ids for a field of a body or a query by its name; empty for a field that names no object. */
	idsFor(field: string, path: string): readonly Id[];
	/** Notes what an answered request made or deleted. @param path with ids, without query */
	learn(method: string, path: string, status: number, body: unknown): void;
	/** Makes objects of each kind of which there are few. */
	refill(): Promise<void>;
}

const QUERIES = "/api/queries/saved-queries/";
const CONNECTIONS = "/api/controller/connections/";
const USERS = "/api/auth/management/";
const GROUPS = "/api/auth/groups/";
const INVITATIONS = `${USERS}invitations/`;
const SNAPSHOTS = "/api/time-machine/snapshots/";
const AUTOMATION = "/api/automation/";
const SERVERS = `${AUTOMATION}connections/`;
const TEMPLATES = `${AUTOMATION}templates/`;
/** Objects of each kind. */
const WANTED = 3;

const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvBD" } }], edges: [] };
const secret = { username: "reader", password: "a password" };
const column = { name: "name", field_type: "text", required: true };

/** How one object of each kind is made, in this order; a text as the value stands for its id. */
const MAKERS: readonly (readonly [
	place: string,
	body: (name: string, first: (place: string) => Id | undefined) => object,
	/** Where it is made, unless that is the place. */
	path?: string,
])[] = [
	[USERS, (name) => ({ username: name.replaceAll(" ", ""), password: TEST_PASSWORD })],
	[GROUPS, (name) => ({ name })],
	[INVITATIONS, (name) => ({ people: [{ username: name.replaceAll(" ", ""), group_ids: [] }] })],
	["/api/auth/tokens/", (name) => ({ name })],
	["/api/queries/categories/", (name) => ({ name })],
	[CONNECTIONS, (name) => ({ name, url: "http://127.0.0.1:9", ...secret })],
	["/api/controller/connection-groups/", (name, first) => ({ name, connection_ids: [first(CONNECTIONS)] })],
	[
		"/api/calendar/entries/",
		(name, first) => ({
			kind: "maintenance",
			title: name,
			controller_connection_ids: [first(CONNECTIONS)],
			starts_at: "2030-03-02T22:00:00Z",
			ends_at: "2030-03-03T04:00:00Z",
			rrule: "FREQ=WEEKLY;BYDAY=SA",
		}),
	],
	[QUERIES, (name) => ({ name, flow_data, enable_time_machine: true })],
	["/api/queries/pipeline-executions/", (_, first) => ({ flow_data, controller_connection_id: first(CONNECTIONS) })],
	[
		"/api/queries/group-executions/",
		(_, first) => ({ saved_query_id: first(QUERIES), connection_ids: [first(CONNECTIONS)] }),
	],
	[
		"/api/queries/scheduled-tasks/",
		(name, first) => ({
			name,
			saved_query: first(QUERIES),
			controller_connection_ids: [first(CONNECTIONS)],
			frequency: "daily",
			time_of_day: "03:00",
		}),
	],
	["/api/checks/", (name, first) => ({ name, saved_query: first(QUERIES), type: "no_rows" })],
	[
		SNAPSHOTS,
		(name, first) => ({
			result_data: { imdata: [{ fvTenant: { attributes: { dn: "uni/tn-a", name } } }] },
			controller_connection_id: first(CONNECTIONS),
			saved_query_id: first(QUERIES),
			class_name: "fvTenant",
		}),
		"/api/time-machine/capture/",
	],
	[
		"/api/notifications/webhooks/",
		(name) => ({ name, url: "https://hooks.invalid/", format: "slack", enabled: false }),
	],
	["/api/mim/table-templates/", (name) => ({ class_name: "fvBD", name })],
	["/api/mim/table-preferences/", (name) => ({ class_name: `fv${name.replaceAll(" ", "")}` })],
	[SERVERS, (name) => ({ name, base_url: "http://127.0.0.1:9", username: "u", oauth_token: "a token" })],
	[
		TEMPLATES,
		(name, first) => ({
			name,
			automation_connection: first(SERVERS),
			automation_job_template_id: 7,
			schema: [column],
		}),
	],
	[`${AUTOMATION}categories/`, (name) => ({ name })],
	[`${AUTOMATION}column-templates/`, (name) => ({ name, column })],
	[`${AUTOMATION}validation-lists/`, (name) => ({ name, values: ["a", "b"] })],
	[`${AUTOMATION}regex-patterns/`, (name) => ({ name, pattern: "leaf-[0-9]+" })],
	[
		`${AUTOMATION}requests/`,
		(name, first) => ({ template: first(TEMPLATES), title: name, input_data: [{ name: "a" }] }),
	],
];

/** Kinds that only the service makes. */
const LISTED = [
	"/api/auth/sessions/",
	"/api/auth/permissions/",
	"/api/audit/logs/",
	"/api/notifications/notifications/",
	INVITATIONS,
	`${AUTOMATION}executions/`,
];

/** Places whose ids are those of another one. */
const SAME: Readonly<Record<string, string>> = {
	"/api/time-machine/saved-queries/": QUERIES,
	[`${AUTOMATION}templates/validation-status/`]: TEMPLATES,
};

const FIELDS: readonly (readonly [name: RegExp, place: (path: string) => string])[] = [
	[/^(saved_)?quer(y|ies)(_ids?)?$/, () => QUERIES],
	[/^(default_)?(controller_)?connection(_ids?)?$/, (path) => (path.startsWith(AUTOMATION) ? SERVERS : CONNECTIONS)],
	[/^automation_connection(_id)?$/, () => SERVERS],
	[/^template(_id)?$/, () => TEMPLATES],
	[/^categor(y|ies)(_ids?)?$/, (path) => `${path.startsWith(AUTOMATION) ? AUTOMATION : "/api/queries/"}categories/`],
	[/snapshot/, () => SNAPSHOTS],
	[/^webhook$/, () => "/api/notifications/webhooks/"],
	[/^group(_ids?)?$/, () => GROUPS],
	[/^permission(_ids?)?$/, () => "/api/auth/permissions/"],
	[/^(shared_with|user(_ids?)?|owner(_id)?)$/, () => USERS],
];

export function createObjects({ call }: Pick<RunningService, "call">): FuzzObjects {
	const known = new Map<string, Id[]>();
	let names = 0;

	const getIds = (place: string): readonly Id[] => known.get(SAME[place] ?? place) ?? [];

	function addId(place: string, id: unknown): void {
		if (typeof id === "string" || typeof id === "number") known.set(place, [...new Set([...getIds(place), id])]);
	}

	async function createMissingObjects([place, body, path = place]: (typeof MAKERS)[number]): Promise<void> {
		while (getIds(place).length < WANTED) {
			const answer = await call(
				"POST",
				path,
				body(`Made ${++names}`, (other) => getIds(other)[0]),
			);
			const made = (answer.body ?? {}) as { id?: unknown; snapshot_id?: unknown };
			const id = made.id ?? made.snapshot_id;
			// What the requests changed, such as a quota, may stand against it.
			if (id === undefined) return;
			addId(place, id);
		}
	}

	async function listObjects(place: string): Promise<void> {
		const { body } = await call("GET", place);
		const found = Array.isArray(body) ? body : ((body as { results?: unknown } | undefined)?.results ?? []);
		known.set(place, []);
		for (const one of (found as { id?: unknown }[]).slice(0, WANTED)) addId(place, one.id);
	}

	return {
		getIds,
		idsFor(field, path) {
			const place = FIELDS.find(([name]) => name.test(field))?.[1](path);
			return place === undefined ? [] : getIds(place);
		},
		learn(method, path, status, body) {
			if (method === "POST" && status === 201 && known.has(path)) addId(path, (body as { id?: unknown }).id);
			const [, place = "", id] = /^(.*\/)([^/]+)\/$/.exec(path) ?? [];
			const isGone = status === 404 || (method === "DELETE" && status < 300);
			const ids = known.get(place);
			if (isGone && ids !== undefined)
				known.set(
					place,
					ids.filter((one) => String(one) !== id),
				);
		},
		async refill() {
			for (const maker of MAKERS) await createMissingObjects(maker);
			for (const place of LISTED) await listObjects(place);
		},
	};
}
