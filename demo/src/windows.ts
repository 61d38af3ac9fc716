/** Two proved changes of the week: one that passed, and one that another user spoiled. */
import {
	type ChangeWindow,
	type ChangeWindowListed,
	changePlanRoutes,
	changeWindowRoutes,
	checkRoutes,
	type WindowFinding,
} from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import { approveRequest, createRequest, launchApproved, type Row, TENANT } from "./automation.ts";
import type { DemoClock } from "./clock.ts";
import { formatValue } from "./comparison.ts";
import { AUTOMATION_USER, ENGINEER, FABRICS, type Fabrics } from "./fabrics.ts";
import type { People } from "./people.ts";
import { BRIDGE_DOMAINS, getId, getQuery, type Known } from "./queries.ts";
import { waitForAnswer } from "./wait.ts";

const PLAN = "New bridge domains";
const CHECK = "There are bridge domains";
/** The simulated fabrics settle at once. Seconds. */
const SETTLE = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 60 };
/** The clock is moved to the next round if it is this near, in milliseconds. */
const NEAR_MS = SETTLE.interval_s * 1_000;
const BETWEEN_MS = 2 * 3_600_000;

const buildRow = (name: string, gateway: string): Row => ({ name, tenant: TENANT, gateway });
const PASSED = {
	title: "Bridge domains for the warehouse",
	ticket: "CHG0031337",
	rows: [buildRow("bd-dock", "10.45.1.1/24"), buildRow("bd-yard", "10.45.2.1/24")],
};
const FAILED = {
	title: "Bridge domains for the parcel service",
	ticket: "CHG0031402",
	rows: [buildRow("bd-parcels", "10.46.1.1/24"), buildRow("bd-returns", "10.46.2.1/24")],
};
/** The engineer changes a bridge domain of the first change while the second one is made. */
const FOREIGN_CHANGE = { fvBD: { attributes: { name: "bd-dock", arpFlood: "yes" } } };

interface WindowParts {
	readonly people: People;
	readonly fabrics: Fabrics;
	readonly clock: DemoClock;
	readonly known: Known;
}

/** Makes the plan of the changes. */
async function makePlan(admin: WeftClient, known: Known): Promise<string> {
	const { results: checks } = await admin.call(checkRoutes.list, { query: { page_size: "200" } });
	const { id } = await admin.call(changePlanRoutes.create, {
		body: {
			name: PLAN,
			description: "Compares all bridge domains and subnets: only what was declared may differ.",
			items: [{ query: getQuery(known, BRIDGE_DOMAINS) }, { check: getId(checks, CHECK) }],
			settle: SETTLE,
			is_public: true,
		},
	});
	return id;
}

/** Makes both windows, and the changes of the first fabric that they prove. */
export async function makeWindows(parts: WindowParts): Promise<void> {
	const { people, fabrics, clock, known } = parts;
	const plan = await makePlan(await people.as("ada"), known);
	const passed = await judgeChange(parts, plan, PASSED);
	assertVerdict(passed, "passed");
	const comment = "Both bridge domains are there, and nothing else has changed.";
	await (await people.as("ada")).call(changeWindowRoutes.sign, { params: { id: passed.id }, body: { comment } });
	clock.moveTo(clock.now() + BETWEEN_MS);
	const failed = await judgeChange(parts, plan, FAILED, () =>
		fabrics.write(0, ENGINEER, `uni/tn-${TENANT}`, FOREIGN_CHANGE),
	);
	assertVerdict(failed, "failed");
}

function assertVerdict({ title, verdict, verdict_line }: ChangeWindow, expected: ChangeWindow["verdict"]): void {
	if (verdict !== expected) throw new Error(`The change window "${title}" should have ${expected}: ${verdict_line}`);
}

/**
 * The operator asks for rows and declares them in a window, the administrator approves both, and
 * the job writes the rows while the window is open. Returns the judged window.
 */
async function judgeChange(
	{ people, clock, known }: WindowParts,
	plan: string,
	{ title, ticket, rows }: typeof PASSED,
	interfere: (() => Promise<void>) | null = null,
): Promise<ChangeWindow> {
	const [operator, admin] = [await people.as("olga"), await people.as("ada")];
	const request = await createRequest(operator, known, { title, rows });
	await approveRequest(admin, request);
	const { id } = await operator.call(changeWindowRoutes.create, {
		body: {
			title,
			ticket: { number: ticket, url: "" },
			plan,
			connection_ids: known.connections.slice(0, 1),
			implementers: [AUTOMATION_USER],
			requires_approval: true,
		},
	});
	const params = { id };
	const { not_understood } = await operator.call(changeWindowRoutes.importExpectations, {
		params,
		body: { format: "request", request },
	});
	const [missed] = not_understood;
	if (missed !== undefined) throw new Error(`A row declares nothing: ${missed.reason}`);
	await operator.call(changeWindowRoutes.submit, { params });
	await admin.call(changeWindowRoutes.approve, { params });
	await operator.call(changeWindowRoutes.start, { params });
	await reachState(operator, clock, id, "open");
	await launchApproved(operator, request);
	await interfere?.();
	await operator.call(changeWindowRoutes.finish, { params });
	if (interfere !== null) await judgeSettled(operator, clock, id);
	return reachState(operator, clock, id, "judged");
}

/** Judges a window that cannot pass as soon as the fabric has settled. */
async function judgeSettled(client: WeftClient, clock: DemoClock, id: string): Promise<void> {
	const { state } = await waitForAnswer("the fabric has settled", async () => {
		const window = await readNextRound(client, clock, id);
		const hasSettled = window.connections.every(({ items }) => items.every(({ settled }) => settled));
		return hasSettled || window.state === "judged" ? window : null;
	});
	if (state === "settling") await client.call(changeWindowRoutes.finish, { params: { id }, body: { now: true } });
}

const reachState = (
	client: WeftClient,
	clock: DemoClock,
	id: string,
	wanted: "open" | "judged",
): Promise<ChangeWindow> =>
	waitForAnswer(`the change window is ${wanted}`, async () => {
		const window = await readNextRound(client, clock, id);
		const reason = window.gate?.reasons[0]?.detail;
		if (window.state === "blocked") throw new Error(`The change window is blocked: ${reason}`);
		return window.state === wanted ? window : null;
	});

/** Reads a window, and moves the clock to its next round if it waits for that. */
async function readNextRound(client: WeftClient, clock: DemoClock, id: string): Promise<ChangeWindow> {
	const window = await client.call(changeWindowRoutes.detail, { params: { id } });
	const waitMs = window.next_at === null ? 0 : Date.parse(window.next_at) - clock.now();
	if (waitMs > 0 && waitMs <= NEAR_MS) clock.moveTo(clock.now() + waitMs);
	return window;
}

/** Each window with its verdict and its findings. */
export async function describeWindows(client: WeftClient): Promise<string[]> {
	const { results } = await client.call(changeWindowRoutes.list, {
		query: { page_size: "200", ordering: "created_at" },
	});
	const lines: string[] = [];
	for (const { title, ticket } of [PASSED, FAILED]) {
		const window = results.find((one) => one.ticket?.number === ticket);
		if (window === undefined) lines.push(`"${title}" is missing: it was deleted. Run the demo with --reset.`);
		else lines.push(...(await describeWindow(client, window)));
	}
	return lines;
}

async function describeWindow(client: WeftClient, window: ChangeWindowListed): Promise<string[]> {
	const { results: findings } = await client.call(changeWindowRoutes.findings, {
		params: { id: window.id },
		query: { page_size: "200" },
	});
	const expected = findings.filter((finding) => finding.class === "expected");
	const signature = window.signed_by === null ? "not signed" : `signed by ${window.signed_by}`;
	return [
		`${window.ticket?.number ?? ""} ${window.title} on ${FABRICS[0]}: ${window.verdict ?? window.state}, ${signature}`,
		`  ${expected.length} declared by approved rows have happened`,
		...findings.filter((finding) => finding.class === "undeclared").map(describeUndeclared),
	];
}

function describeUndeclared({ dn, changed_by, foreign, attributes }: WindowFinding): string {
	const author = changed_by[0]?.user ?? "an unknown user";
	const words = foreign === true ? `${author}, who does not do the work` : author;
	const values = attributes.map(({ name, before, after }) => `${name} ${formatValue(before)} → ${formatValue(after)}`);
	return `  not declared: ${dn} by ${words}: ${values.join(", ")}`;
}
