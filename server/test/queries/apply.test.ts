/** Queries and schedules as files: export, validation, and applying all of them or none. */
import { APPLY_LIMITS, DEFAULT_DRIFT_RULES } from "@weft/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ModelGraph } from "../../src/core/ports/class-model.ts";
import { chainNodes, classNode, createEdge, createNameFilter, output, QUERIES } from "../support/canvases.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";

const APPLY = "/api/queries/apply/";
const VALIDATE = "/api/queries/validate-files/";
const READ = "/api/queries/read-file/";
const EXPORT = "/api/queries/export-files/";
const TASKS = "/api/queries/scheduled-tasks/";

interface File {
	readonly path: string;
	readonly content: string;
}

let model: ModelGraph | null = null;
let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp({ deps: { classModel: async () => model } });
});
afterAll(() => t.close());
let users = 0;
const newUser = (groups = ["Editor"]) => t.user(`user-${++users}`, groups);
beforeEach(async () => {
	model = null;
	ada = await newUser();
});

const buildQueryFile = (name: string, more = "", className = "fvTenant"): File => ({
	path: `queries/${name.toLowerCase()}.yaml`,
	content: `kind: query
flow_data:
  edges: []
  nodes:
    - data:
        className: ${className}
      id: a
      type: classNode
name: ${name}
${more}`,
});
const buildScheduleFile = (name: string, saved_query: string, more = ""): File => ({
	path: `schedules/${name.toLowerCase()}.yaml`,
	content: `kind: schedule
controller_connections:
  - Fabric of ${ada.username}
frequency: daily
name: ${name}
saved_query: ${saved_query}
time_of_day: "06:30"
timezone: Europe/Paris
${more}`,
});
const applyFiles = (user: TestUser, files: readonly File[], more: Record<string, unknown> = {}) =>
	user.api.post(APPLY, { files, ...more });
const applyForChanges = async (user: TestUser, files: readonly File[], more: Record<string, unknown> = {}) => {
	const { status, body, text } = await applyFiles(user, files, more);
	expect(status, text).toBe(200);
	return body.changes.map(({ action, kind, name }: Record<string, string>) => `${action} ${kind} ${name}`);
};
const applyForErrors = async (user: TestUser, files: readonly File[], more: Record<string, unknown> = {}) => {
	const { status, body, text } = await applyFiles(user, files, more);
	expect(status, text).toBe(400);
	return body.errors.map(({ path, line, message }: Record<string, string>) => `${path}:${line}: ${message}`);
};
const exportFiles = async (user: TestUser): Promise<File[]> => {
	const { status, body, text } = await user.api.get(EXPORT);
	expect(status, text).toBe(200);
	return body.files;
};
const ownQueries = async (user: TestUser) =>
	(await user.api.get(`${QUERIES}?my_queries=true&ordering=name`)).body.results;
const addConnection = async (
	user: TestUser,
	name = `Fabric of ${user.username}`,
	more: Record<string, unknown> = {},
) => {
	const { status, body, text } = await user.api.post("/api/controller/connections/", {
		name,
		url: "https://127.0.0.1:1",
		username: "admin",
		password: "no secret that is used",
		...more,
	});
	expect(status, text).toBe(201);
	return body.id;
};

describe("a schedule on a group of connections", () => {
	it("carries the group by name", async () => {
		const user = await t.user("gil", ["Editor"]);
		const connection = await addConnection(user);
		const groups = "/api/controller/connection-groups/";
		const group = await user.api.post(groups, { name: "All sites", connection_ids: [connection] });
		const saved = await user.api.post(QUERIES, { name: "Q", flow_data: chainNodes(classNode("fvTenant"), output) });
		const task = { name: "Daily", saved_query: saved.body.id, frequency: "daily", time_of_day: "06:30" };
		const made = await user.api.post(TASKS, { ...task, connection_group: group.body.id });
		expect(made.status, made.text).toBe(201);
		const files = await exportFiles(user);
		const content = files.find(({ path }) => path === "schedules/daily.yaml")?.content ?? "";
		expect(content).toContain("connection_group: All sites\n");
		expect(await applyForChanges(user, files)).toEqual(["unchanged query Q", "unchanged schedule Daily"]);
		const other = files.map((one) => ({ ...one, content: one.content.replace("All sites", "No such") }));
		expect(await applyForErrors(user, other)).toEqual([
			expect.stringMatching(/^schedules\/daily.yaml:\d+: connection_group: There is no connection group "No such"/),
		]);
		await user.api.post(groups, { name: "More", connection_ids: [connection] });
		const moved = files.map((one) => ({ ...one, content: one.content.replace("All sites", "More") }));
		expect(await applyForChanges(user, moved)).toEqual(["unchanged query Q", "updated schedule Daily"]);
		expect((await user.api.get(`${TASKS}${made.body.id}/`)).body.connection_group_name).toBe("More");
	});
});

describe("a query on a group of connections", () => {
	it("carries the group by name; an unknown name is refused with those that exist", async () => {
		const user = await newUser();
		const connection = await addConnection(user);
		const groups = "/api/controller/connection-groups/";
		const ids: string[] = [];
		for (const name of ["North", "South"]) {
			const { body } = await user.api.post(groups, { name, connection_ids: [connection] });
			ids.push(body.id);
		}
		const own = async (name: string) =>
			(await user.api.get(QUERIES)).body.results.find((one: { name: string }) => one.name === name);
		const getGroup = async (name: string) =>
			(await user.api.get(`${QUERIES}${(await own(name)).id}/`)).body.connection_group;
		expect(await applyForChanges(user, [buildQueryFile("Q", "connection_group: North\n")])).toEqual([
			"created query Q",
		]);
		expect(await getGroup("Q")).toBe(ids[0]);
		const files = await exportFiles(user);
		expect(files[0]?.content).toContain("connection_group: North\n");
		expect(await applyForChanges(user, files)).toEqual(["unchanged query Q"]);
		expect(await applyForChanges(user, [buildQueryFile("Q", "connection_group: South\n")])).toEqual([
			"updated query Q",
		]);
		expect(await getGroup("Q")).toBe(ids[1]);
		expect(await applyForErrors(user, [buildQueryFile("Q", "connection_group: West\n")])).toEqual([
			expect.stringMatching(
				/^queries\/q.yaml:\d+: connection_group: There is no connection group "West" that you can see. Groups: North, South\.$/,
			),
		]);
		expect(await applyForChanges(user, [buildQueryFile("Q")])).toEqual(["updated query Q"]);
		expect(await getGroup("Q")).toBeNull();
		const other = await newUser();
		expect(await applyForErrors(other, [buildQueryFile("Q", "connection_group: North\n")])).toEqual([
			expect.stringMatching(/"North" that you can see\. There are none\.$/),
		]);
	});
});

describe("an export", () => {
	it("has one file for each own query and schedule, and applying it changes nothing", async () => {
		const connection = await addConnection(ada);
		const { body: category } = await t.admin.api.post("/api/queries/categories/", { name: `Of ${ada.username}` });
		const drawn = {
			...chainNodes(
				{ ...classNode("fvTenant", { label: "T" }), position: { x: 3, y: 4 } } as never,
				createNameFilter("prod"),
				output,
			),
			viewport: { zoom: 2 },
		};
		const { body: first } = await ada.api.post(QUERIES, {
			name: "Tenants",
			description: "one\ntwo",
			category: category.id,
			tags_list: ["a", "yes"],
			flow_data: drawn,
			post_processors: [{ type: "array-sort", config: { field: "name" } }],
		});
		await ada.api.post(QUERIES, { name: "TENANTS", flow_data: chainNodes(classNode("fvBD"), output), is_public: true });
		const task = await ada.api.post(TASKS, {
			name: "Daily",
			saved_query: first.id,
			controller_connection_ids: [connection],
			frequency: "daily",
			time_of_day: "06:30",
		});
		expect(task.status, task.text).toBe(201);
		const files = await exportFiles(ada);
		expect(files.map(({ path }) => path)).toEqual([
			"queries/tenants.yaml",
			expect.stringMatching(/^queries\/tenants-[0-9a-f]{8}\.yaml$/),
			"schedules/daily.yaml",
		]);
		for (const { content } of files) {
			expect(content).toMatch(/^kind: (query|schedule)\n/);
			expect(content).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|no secret|created_at|updated_at/);
		}
		expect(files[2]?.content).toContain(`controller_connections:\n  - Fabric of ${ada.username}\n`);
		expect(files[2]?.content).toContain("saved_query: Tenants\n");
		expect(await applyForChanges(ada, files, { prune: true })).toEqual([
			"unchanged query Tenants",
			"unchanged query TENANTS",
			"unchanged schedule Daily",
		]);
		expect((await ada.api.get(`${QUERIES}${first.id}/`)).body).toEqual(first);
		expect(await exportFiles(ada)).toEqual(files);
		const { body: after } = await ada.api.get(`${TASKS}${task.body.id}/`);
		expect(after).toEqual(task.body);
	});

	it("makes the same queries and schedules after they were deleted", async () => {
		await addConnection(ada);
		await applyForChanges(ada, [
			buildQueryFile("One", "description: x\n"),
			buildQueryFile("Two"),
			buildScheduleFile("Daily", "Two"),
		]);
		const files = await exportFiles(ada);
		for (const { id } of await ownQueries(ada)) await ada.api.del(`${QUERIES}${id}/`);
		const { body: tasks } = await ada.api.get(`${TASKS}?my_tasks=true`);
		await ada.api.del(`${TASKS}${tasks.results[0].id}/`);
		expect(await exportFiles(ada)).toEqual([]);
		expect(await applyForChanges(ada, files)).toEqual([
			"created query One",
			"created query Two",
			"created schedule Daily",
		]);
		expect(await exportFiles(ada)).toEqual(files);
	});

	it("of many queries has each once, and of another user none", async () => {
		const files = Array.from({ length: 60 }, (_, i) => buildQueryFile(`Query-${String(i).padStart(2, "0")}`));
		expect(new Set(await applyForChanges(ada, files))).toHaveProperty("size", 60);
		expect((await exportFiles(ada)).map(({ path }) => path).sort()).toEqual(files.map(({ path }) => path));
		expect(await exportFiles(await newUser())).toEqual([]);
	});
});

describe("applying", () => {
	it("creates, changes with a version, and leaves alone what is as the file says", async () => {
		const files = [buildQueryFile("One"), buildQueryFile("Two")];
		expect(await applyForChanges(ada, files, { dry_run: true })).toEqual(["created query One", "created query Two"]);
		expect(await ownQueries(ada)).toEqual([]);
		expect(await applyForChanges(ada, files)).toEqual(["created query One", "created query Two"]);
		const before = await ownQueries(ada);
		expect(await applyForChanges(ada, files)).toEqual(["unchanged query One", "unchanged query Two"]);
		expect(await ownQueries(ada)).toEqual(before);
		const next = [buildQueryFile("One", "description: new\n"), buildQueryFile("Two", "", "fvBD")];
		expect(await applyForChanges(ada, next, { dry_run: true })).toEqual(["updated query One", "updated query Two"]);
		expect(await ownQueries(ada)).toEqual(before);
		expect(await applyForChanges(ada, next)).toEqual(["updated query One", "updated query Two"]);
		expect(await ownQueries(ada)).toMatchObject([
			{ id: before[0].id, description: "new", version_string: "v1.0" },
			{ id: before[1].id, version_string: "v2.0" },
		]);
		const { body } = await ada.api.get(`${QUERIES}${before[1].id}/`);
		expect(body.flow_data.nodes[0].data.className).toBe("fvBD");
	});

	it("keeps the layout of a query whose file has none, and takes it from a file that has one", async () => {
		const flow_data = {
			...chainNodes({ ...classNode("fvTenant"), position: { x: 3, y: 4 } } as never),
			viewport: { zoom: 2 },
		};
		const { body: saved } = await ada.api.post(QUERIES, { name: "Drawn", flow_data });
		const [file] = await exportFiles(ada);
		const content = file?.content ?? "";
		const bare = { path: "queries/drawn.yaml", content: content.slice(0, content.indexOf("layout:")) };
		expect(await applyForChanges(ada, [bare])).toEqual(["unchanged query Drawn"]);
		expect(await applyForChanges(ada, [{ ...bare, content: bare.content.replace("fvTenant\n", "fvBD\n") }])).toEqual([
			"updated query Drawn",
		]);
		const changed = (await ada.api.get(`${QUERIES}${saved.id}/`)).body;
		expect(changed.flow_data).toMatchObject({ nodes: [{ position: { x: 3, y: 4 } }], viewport: { zoom: 2 } });
		const moved = { ...bare, content: content.replace("x: 3", "x: 9").replace("fvTenant\n", "fvBD\n") };
		expect(await applyForChanges(ada, [moved])).toEqual(["updated query Drawn"]);
		const { body } = await ada.api.get(`${QUERIES}${saved.id}/`);
		expect(body.flow_data.nodes[0].position).toEqual({ x: 9, y: 4 });
		expect(body.version_string).toBe(changed.version_string);
	});

	it("writes what the usual routes write: versions, audit entries, categories, sharing", async () => {
		const { body: saved } = await ada.api.post(QUERIES, {
			name: "Shared",
			flow_data: chainNodes(classNode("fvBD")),
			shared_with: [t.admin.id],
		});
		const category = `New of ${ada.username}`;
		await applyForChanges(ada, [
			buildQueryFile("Shared", `category: ${category}\n`),
			buildQueryFile("Other", `category: ${category}\n`),
		]);
		const { body } = await ada.api.get(`${QUERIES}${saved.id}/`);
		expect(body).toMatchObject({ category_name: category, shared_with: [t.admin.id], version_string: "v2.0" });
		const { body: audit } = await t.admin.api.get(`/api/audit/logs/?user=${ada.id}&page_size=200`);
		const entries = audit.results.filter(({ action }: { action: string }) => action === "query_apply");
		expect(entries.map(({ description }: { description: string }) => description).sort()).toEqual([
			"Changed the query Shared",
			"Created the query Other",
			`Created the query category ${category}`,
		]);
	});

	it("changes schedules by name, with queries of the same files", async () => {
		await addConnection(ada);
		const files = [buildQueryFile("Tenants"), buildScheduleFile("Daily", "Tenants")];
		expect(await applyForChanges(ada, files)).toEqual(["created query Tenants", "created schedule Daily"]);
		expect(await applyForChanges(ada, files)).toEqual(["unchanged query Tenants", "unchanged schedule Daily"]);
		const find = async () => (await ada.api.get(`${TASKS}?my_tasks=true`)).body.results[0];
		const first = await find();
		expect(first).toMatchObject({ query_name: "Tenants", status: "active", next_run_at: expect.any(String) });
		const paused = buildScheduleFile("Daily", "Tenants", "status: paused\ndescription: new\n");
		expect(await applyForChanges(ada, [paused])).toEqual(["updated schedule Daily"]);
		expect(await find()).toMatchObject({ id: first.id, status: "paused", next_run_at: null, description: "new" });
		// Without a status the schedule stays paused.
		expect(await applyForChanges(ada, [buildScheduleFile("Daily", "Tenants")])).toEqual(["updated schedule Daily"]);
		expect(await find()).toMatchObject({ status: "paused", description: "" });
		expect(await applyForChanges(ada, [buildScheduleFile("Daily", "Tenants", "status: active\n")])).toEqual([
			"updated schedule Daily",
		]);
		expect((await find()).next_run_at).toBe(first.next_run_at);
	});

	it("leaves a schedule alone that ran once, until its file has another time", async () => {
		await addConnection(ada);
		const once = (time: string) => {
			const { path, content } = buildScheduleFile("Once", "Tenants", `scheduled_datetime: ${time}\n`);
			return [buildQueryFile("Tenants"), { path, content: content.replace("daily", "once") }];
		};
		const later = (ms: number) => new Date(t.clock.now() + ms).toISOString();
		const files = once(later(60_000));
		await applyForChanges(ada, files);
		await t.pool.query("update scheduled_tasks set status = 'disabled', next_run_at = null where name = 'Once'");
		await t.clock.advance(120_000);
		expect(await applyForChanges(ada, files)).toEqual(["unchanged query Tenants", "unchanged schedule Once"]);
		const [, file] = await exportFiles(ada);
		expect(file?.content).toContain("status: active");
		expect(await applyForChanges(ada, await exportFiles(ada))).toContain("unchanged schedule Once");
		expect(await applyForErrors(ada, once(later(-1)))).toEqual([
			"schedules/once.yaml:9: scheduled_datetime: Must be in the future.",
		]);
		expect(await applyForChanges(ada, once(later(60_000)))).toContain("updated schedule Once");
	});

	it("prunes own queries and schedules without a file, and nothing of others", async () => {
		await addConnection(ada);
		await applyForChanges(ada, [buildQueryFile("Keep"), buildQueryFile("Drop"), buildScheduleFile("Daily", "Drop")]);
		const bob = await newUser();
		await applyForChanges(bob, [buildQueryFile("Drop", "is_public: true\n")]);
		expect(
			await applyForErrors(ada, [buildQueryFile("Keep"), buildScheduleFile("Daily", "Drop")], { prune: true }),
		).toEqual([
			'schedules/daily.yaml:6: saved_query: The query "Drop" has no file and would be deleted. Add its file.',
		]);
		const plan = await applyFiles(ada, [buildQueryFile("Keep")], { prune: true, dry_run: true });
		expect(plan.body.changes).toEqual([
			{ path: "queries/keep.yaml", kind: "query", name: "Keep", action: "unchanged" },
			{ path: "queries/drop.yaml", kind: "query", name: "Drop", action: "deleted" },
			{ path: "schedules/daily.yaml", kind: "schedule", name: "Daily", action: "deleted" },
		]);
		expect(await ownQueries(ada)).toHaveLength(2);
		expect(await applyForChanges(ada, [buildQueryFile("Keep")], { prune: true })).toContain("deleted query Drop");
		expect((await ownQueries(ada)).map(({ name }: { name: string }) => name)).toEqual(["Keep"]);
		expect((await ada.api.get(`${TASKS}?my_tasks=true`)).body.count).toBe(0);
		expect(await ownQueries(bob)).toHaveLength(1);
		const everything = await applyFiles(ada, [], { prune: true });
		expect([everything.status, Object.keys(everything.body)]).toEqual([400, ["files"]]);
	});

	it("makes the same of the same files by two requests at once", async () => {
		const files = Array.from({ length: 30 }, (_, i) => buildQueryFile(`Q${i}`));
		const answers = await Promise.all([applyFiles(ada, files), applyFiles(ada, files), applyFiles(ada, files)]);
		for (const { status } of answers) expect([200, 409]).toContain(status);
		expect(answers.some(({ status }) => status === 200)).toBe(true);
		const names = (await exportFiles(ada)).map(({ path }) => path);
		expect([names.length, new Set(names).size]).toEqual([30, 30]);
	});
});

describe("a file that is read to be run", () => {
	it("is answered as the API has queries, whatever names others use", async () => {
		const bob = await newUser();
		await applyForChanges(bob, [buildQueryFile("Public of Bob", "is_public: true\n")]);
		const { path, content } = buildQueryFile("Public of Bob", "category: No such category\nvariables:\n  - id: v\n");
		const joined = content
			.replace("edges: []", "edges:\n    - source: a\n      target: out")
			.replace("name: Public of Bob", "    - { id: out, type: outputNode }\nname: Public of Bob");
		const { status, body, text } = await ada.api.post(READ, { path, content: joined });
		expect(status, text).toBe(200);
		expect(body).toEqual({
			name: "Public of Bob",
			description: "",
			category: "No such category",
			tags_list: [],
			is_public: false,
			is_template: false,
			enable_time_machine: false,
			flow_data: {
				nodes: [
					{ id: "a", type: "classNode", data: { className: "fvTenant" } },
					{ id: "out", type: "outputNode" },
				],
				edges: [{ id: "a-out", source: "a", target: "out" }],
			},
			post_processors: [],
			variables: [expect.objectContaining({ id: "v" })],
			drift_rules: DEFAULT_DRIFT_RULES,
		});
		expect(await ownQueries(ada)).toEqual([]);
	});

	it("is refused with the line of each error", async () => {
		model = { version: "6.0(9c)", find: () => undefined } as never;
		const wrong = async (file: File) => (await ada.api.post(READ, file)).body.errors;
		expect(await wrong(buildQueryFile("Class"))).toEqual([
			{ path: "queries/class.yaml", line: 6, message: 'There is no class "fvTenant" in the class model 6.0(9c).' },
		]);
		expect(await wrong(buildScheduleFile("Daily", "Class"))).toEqual([
			{ path: "schedules/daily.yaml", line: 1, message: "kind: Must be query." },
		]);
		expect(await wrong({ path: "a.yaml", content: "kind: query\nname: [\n" })).toHaveLength(1);
	});
});

describe("refusals", () => {
	it("list every error of every file with its line, and nothing is changed", async () => {
		model = { version: "6.0(9c)", find: (name: string) => (name === "fvTenant" ? {} : undefined) } as never;
		const bob = await newUser();
		await applyForChanges(bob, [buildQueryFile("Taken", "is_public: true\n"), buildQueryFile("Mine")]);
		await addConnection(bob, "Of two", { is_public: true });
		await addConnection(await newUser(), "Of two", { is_public: true });
		const errors = await applyForErrors(ada, [
			buildQueryFile("Good"),
			{ path: "queries/bad.yaml", content: "kind: query\nname: [\n" },
			{ path: "queries/check.yaml", content: "kind: group\n" },
			buildQueryFile("Class", "", "fvInvented"),
			{ ...buildQueryFile("Good"), path: "queries/again.yaml" },
			{ ...buildQueryFile("Path"), path: "queries/good.yaml" },
			buildQueryFile("Taken"),
			buildQueryFile("Mine"),
			buildScheduleFile("One", "Nowhere"),
			{
				path: "schedules/two.yaml",
				content: buildScheduleFile("Two", "Good").content.replace(
					`- Fabric of ${ada.username}`,
					"- Of two\n  - Missing",
				),
			},
		]);
		expect(errors).toEqual([
			"queries/again.yaml:9: name: The file queries/good.yaml has a query of this name, too.",
			expect.stringMatching(/^queries\/bad\.yaml:[23]: /),
			"queries/check.yaml:1: Unknown kind. Kinds: query, schedule, check.",
			'queries/class.yaml:6: There is no class "fvInvented" in the class model 6.0(9c).',
			"queries/good.yaml:1: Another file has this path.",
			`queries/taken.yaml:9: name: ${bob.username} has a query "Taken" that you can see. Choose another name.`,
			`schedules/one.yaml:3: controller_connections: There is no connection "Fabric of ${ada.username}" that you can see.`,
			'schedules/one.yaml:6: saved_query: There is no query "Nowhere" that you can see.',
			'schedules/two.yaml:3: controller_connections: 2 connections have the name "Of two". Rename one of them.',
			'schedules/two.yaml:4: controller_connections: There is no connection "Missing" that you can see.',
		]);
		expect(await ownQueries(ada)).toEqual([]);
		const { body } = await ada.api.post(VALIDATE, { files: [buildQueryFile("Class", "", "fvInvented")] });
		expect(body.errors).toHaveLength(1);
	});

	it("of schedules name the line of the field", async () => {
		await addConnection(ada);
		const variables = "variables:\n  - id: tenant\n    label: T\n    required: true\n    type: text\n";
		const files = (more: string, change = (text: string) => text) => {
			const { path, content } = buildScheduleFile("Daily", "Asking", more);
			return [buildQueryFile("Asking", variables), { path, content: change(content) }];
		};
		expect(await applyForErrors(ada, files(""))).toEqual([
			expect.stringMatching(/^schedules\/daily\.yaml:5: variable_values/),
		]);
		expect(await applyForErrors(ada, files("variable_values: {}\n"))).toEqual([
			expect.stringMatching(/^schedules\/daily\.yaml:9: variable_values/),
		]);
		const values = "variable_values:\n  tenant: prod\n";
		expect(
			await applyForErrors(
				ada,
				files(values, (text) => text.replace("daily", "weekly")),
			),
		).toEqual(["schedules/daily.yaml:5: day_of_week: A task that runs weekly needs this field."]);
		expect(await applyForErrors(ada, files(`${values}email_recipients: [eve@elsewhere.test]\n`))).toEqual([
			expect.stringMatching(/^schedules\/daily\.yaml:11: email_recipients: No user has eve@elsewhere\.test/),
		]);
		expect(await applyForChanges(ada, files(values))).toHaveLength(2);
		// Two of one name are ambiguous.
		const { body: tasks } = await ada.api.get(`${TASKS}?my_tasks=true`);
		await ada.api.post(`${TASKS}${tasks.results[0].id}/clone/`);
		const { body: copies } = await ada.api.get(`${TASKS}?my_tasks=true&search=Copy`);
		await ada.api.patch(`${TASKS}${copies.results[0].id}/`, { name: "Daily" });
		expect(await applyForErrors(ada, files(values))).toEqual([
			'schedules/daily.yaml:5: name: You have 2 schedules "Daily". Rename or delete all but one.',
		]);
	});

	it("are for those who may not do it: rights and quotas", async () => {
		const eve = await newUser([]);
		await setRights(t, eve, { permissions: ["view_savedquery"] });
		expect((await eve.api.post(VALIDATE, { files: [buildQueryFile("One")] })).body.changes).toHaveLength(1);
		expect((await applyFiles(eve, [buildQueryFile("One")], { dry_run: true })).status).toBe(200);
		const refused = await applyFiles(eve, [buildQueryFile("One")]);
		expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("add_savedquery")]);
		await setRights(t, eve, { permissions: ["view_savedquery", "add_savedquery"] });
		expect(await applyForErrors(eve, [buildQueryFile("One", `category: None of ${eve.username}\n`)])).toEqual([
			expect.stringMatching(/^queries\/one\.yaml:10: category: /),
		]);
		expect(await applyForChanges(eve, [buildQueryFile("One")])).toEqual(["created query One"]);
		const update = await applyFiles(eve, [buildQueryFile("One", "description: x\n")]);
		expect([update.status, update.body.detail]).toEqual([403, expect.stringContaining("change_savedquery")]);
		const prune = await applyFiles(eve, [buildQueryFile("Two")], { prune: true });
		expect([prune.status, prune.body.detail]).toEqual([403, expect.stringContaining("delete_savedquery")]);
		expect((await ownQueries(eve)).map(({ name }: { name: string }) => name)).toEqual(["One"]);
		await setRights(t, eve, {});
		expect((await applyFiles(eve, [])).status).toBe(403);
		expect((await eve.api.get(EXPORT)).status).toBe(403);
		expect((await t.anonymous.get(EXPORT)).status).toBe(401);
	});
});

describe("quotas", () => {
	const limited = async (quota: Record<string, unknown>): Promise<TestUser> => {
		const name = `Limited ${++users}`;
		const { body } = await t.admin.api.post("/api/auth/groups/", { name });
		await t.admin.api.put(`/api/auth/groups/${body.id}/quota/`, quota);
		return newUser(["Editor", name]);
	};
	const refusedQuota = async (user: TestUser, files: readonly File[], more: Record<string, unknown> = {}) => {
		const { status, body, text } = await applyFiles(user, files, more);
		expect(status, text).toBe(403);
		return body.quota;
	};

	it("limit how many queries there are afterwards, all files or none", async () => {
		const user = await limited({ queries_max: 2 });
		const [one, two, three] = [buildQueryFile("One"), buildQueryFile("Two"), buildQueryFile("Three")];
		expect(await refusedQuota(user, [one, two, three])).toBe("queries_max");
		expect(await ownQueries(user)).toEqual([]);
		expect(await applyForChanges(user, [one, two, three], { dry_run: true })).toHaveLength(3);
		await applyForChanges(user, [one, two]);
		expect(await applyForChanges(user, [one, buildQueryFile("Two", "description: new\n")])).toContain(
			"updated query Two",
		);
		expect(await refusedQuota(user, [three])).toBe("queries_max");
		// What prune deletes makes room.
		expect(await applyForChanges(user, [one, three], { prune: true })).toEqual([
			"unchanged query One",
			"created query Three",
			"deleted query Two",
		]);
		expect(await refusedQuota(user, [one, three, two], { prune: true })).toBe("queries_max");
		expect((await exportFiles(user)).map(({ path }) => path)).toEqual(["queries/one.yaml", "queries/three.yaml"]);
	});

	it("limit how many schedules there are afterwards", async () => {
		ada = await limited({ scheduled_tasks_max: 1 });
		await addConnection(ada);
		const files = (name: string) => [buildQueryFile("Tenants"), buildScheduleFile(name, "Tenants")];
		await applyForChanges(ada, files("Daily"));
		expect(await refusedQuota(ada, files("Nightly"))).toBe("scheduled_tasks_max");
		expect(await applyForChanges(ada, files("Nightly"), { prune: true })).toContain("deleted schedule Daily");
		expect((await exportFiles(ada)).map(({ path }) => path)).toEqual([
			"queries/tenants.yaml",
			"schedules/nightly.yaml",
		]);
	});

	it.each([
		["can_create_queries", ""],
		["can_share", "is_public: true\n"],
		["can_use_time_machine", "enable_time_machine: true\n"],
	])("%s holds for new files", async (right, more) => {
		const user = await limited({ [right]: false });
		expect(await refusedQuota(user, [buildQueryFile("One", more)])).toBe(right);
		expect(await ownQueries(user)).toEqual([]);
	});

	it.each([
		["can_share", "is_public: true\n"],
		["can_use_time_machine", "enable_time_machine: true\n"],
	])("%s holds for changed files", async (right, more) => {
		const user = await limited({ [right]: false });
		await applyForChanges(user, [buildQueryFile("One")]);
		expect(await refusedQuota(user, [buildQueryFile("Two"), buildQueryFile("One", more)])).toBe(right);
		expect((await exportFiles(user)).map(({ path }) => path)).toEqual(["queries/one.yaml"]);
	});
});

describe("limits", () => {
	const { files: filesMax, fileLength, body: bodyMax, errors, errorsPerFile } = APPLY_LIMITS;
	const padded = ({ path, content }: File, length = fileLength): File => ({
		path,
		content: content + "#".repeat(length - content.length),
	});
	const JSON_HEADERS = { "content-type": "application/json" };

	it("are 5,000 files and 200 errors", async () => {
		const wrong = (count: number) =>
			Array.from({ length: count }, (_, i) => ({ path: `q${i}`, content: "kind: group" }));
		const most = await applyFiles(ada, wrong(filesMax));
		expect([most.status, most.body.errors.length]).toEqual([400, errors]);
		for (const path of [APPLY, VALIDATE]) {
			const { status, body } = await ada.api.post(path, { files: wrong(filesMax + 1) });
			expect([status, body]).toEqual([400, { files: ["Must have at most 5000 files."] }]);
		}
	});

	it("are 1 MiB characters of a file, and paths of 500", async () => {
		expect(await applyForChanges(ada, [padded(buildQueryFile("Long"))])).toEqual(["created query Long"]);
		const long = await applyFiles(ada, [padded(buildQueryFile("Long"), fileLength + 1)]);
		expect([long.status, long.body]).toEqual([400, { "files.0.content": ["Must have at most 1,048,576 characters."] }]);
		const path = await applyFiles(ada, [{ ...buildQueryFile("Long"), path: "p".repeat(501) }]);
		expect([path.status, Object.keys(path.body)]).toEqual([400, ["files.0.path"]]);
	});

	it("are 32 MiB of a request", async () => {
		const files = Array.from({ length: 31 }, (_, i) => padded(buildQueryFile(`Large-${i}`), fileLength - 100));
		const text = JSON.stringify({ files, dry_run: true });
		expect(text.length).toBeLessThan(bodyMax);
		const most = await ada.api.send("POST", APPLY, text.padEnd(bodyMax), JSON_HEADERS);
		expect([most.status, most.body.changes?.length]).toEqual([200, 31]);
		const more = await ada.api.send("POST", APPLY, text.padEnd(bodyMax + 1), JSON_HEADERS);
		expect([more.status, Object.keys(more.body)]).toEqual([413, ["detail"]]);
		expect(await ownQueries(ada)).toEqual([]);
	});

	const nines = (name: string) => `[${Array(9).fill(name).join(", ")}]`;
	const LETTERS = [..."abcdefghij"];
	it.each<[string, string, RegExp]>([
		[
			"aliases of aliases",
			LETTERS.map((letter, i) => `${letter}: &${letter} ${nines(i === 0 ? "x" : `*${LETTERS[i - 1]}`)}\n`).join(""),
			/^Aliases are not supported/,
		],
		["an alias of itself", "kind: query\nname: &a [*a]\n", /^Aliases are not supported/],
		["a merge key", "kind: query\nname: &a {x: 1}\n<<: *a\n", /^Aliases are not supported/],
		["more aliases than a call has arguments", `kind: &a x\nb:\n${"  - *a\n".repeat(140_000)}`, /^Aliases are not/],
		["nested lists", `kind: query\nname: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`, /nested too deeply/],
		["nested mappings", `kind: query\nname: ${"{a: ".repeat(20_000)}${"}".repeat(20_000)}\n`, /nested too deeply/],
		["nested blocks", `kind: query\nname:\n  ${"- ".repeat(50_000)}x\n`, /nested too deeply/],
		["lists that are never closed", "[".repeat(100_000), /./],
		[
			"more than 64 levels of layout",
			`${buildQueryFile("Deep").content}layout: ${"{a: ".repeat(65)}1${"}".repeat(65)}\n`,
			/nested deeper than 64 levels/,
		],
		["a key 100,000 times", `kind: query\nflow_data:\n${"  a: 1\n".repeat(100_000)}`, /^The key "a" occurs twice/],
		["a key that is spelled otherwise", 'kind: query\n"kind": schedule\n', /^The key "kind" occurs twice/],
		[
			"the prototype as a key",
			`${buildQueryFile("Proto").content}__proto__: {is_public: true}\n`,
			/^There is no key "__proto__"/,
		],
		["many documents", "---\nkind: query\n".repeat(10_000), /^A file holds one document/],
		["a tag that would run code", 'kind: !!js/function "function () {}"\n', /^Unresolved tag/],
	])("refuse %s with their lines, and change nothing", async (_what, content, message) => {
		const { status, body, text } = await applyFiles(ada, [
			buildQueryFile("Good"),
			{ path: "queries/bomb.yaml", content },
		]);
		expect(status, text).toBe(400);
		expect(body.errors.length).toBeLessThanOrEqual(errorsPerFile);
		expect(body.errors[0]).toEqual({
			path: "queries/bomb.yaml",
			line: expect.any(Number),
			message: expect.stringMatching(message),
		});
		expect(body.errors[0].line).toBeGreaterThan(0);
		expect(await ownQueries(ada)).toEqual([]);
	});
});

it("canvases with pipelines and filters come back whole", async () => {
	const flow_data = {
		nodes: [classNode("fvTenant"), createNameFilter("prod", { operator: "ne" }), classNode("fvBD", { limit: 3 })],
		edges: [
			createEdge("fvTenant", "f"),
			createEdge("fvTenant", "fvBD", { edgeType: "pipeline", extractField: "dn", note: 1 }),
		],
	};
	const { body: saved } = await ada.api.post(QUERIES, { name: "Piped", flow_data });
	const files = await exportFiles(ada);
	await ada.api.del(`${QUERIES}${saved.id}/`);
	await applyForChanges(ada, files);
	const [again] = await ownQueries(ada);
	const { body } = await ada.api.get(`${QUERIES}${again.id}/`);
	expect(body.current_version_hash).toBe(saved.current_version_hash);
	expect(body.flow_data.edges).toContainEqual(flow_data.edges[1]);
});
