/** Change windows by ticket or id, and how they are shown. */
import type { ChangePlan, ChangeWindow, ChangeWindowListed, WindowFinding } from "@weft/contracts";
import { changePlanRoutes, changeWindowRoutes } from "@weft/contracts/browser";
import { type WeftClient, WeftError } from "@weft/sdk";
import { buildInputError } from "../../errors.ts";
import type { View } from "../../output.ts";
import { type Collection, isUuid, suggestNames } from "../../resolve.ts";

/** Description of the noun in the help. */
export const NOUN =
	"Change windows: the changes that were declared, and those that happened. All changes of the fabrics: weft changes.";

/** Upper bound of the windows whose tickets are suggested for an unknown one. */
const LISTED = 1_000;

export const WINDOWS: View<ChangeWindowListed> = {
	name: "change windows",
	columns: [
		{ title: "ticket", value: ({ ticket }) => ticket?.number },
		{ title: "title", value: ({ title }) => title },
		{ title: "state", value: ({ state }) => state },
		{ title: "verdict", value: ({ verdict }) => verdict },
		{ title: "plan", value: ({ plan_name }) => plan_name },
		{ title: "created_by", value: ({ created_by }) => created_by?.username },
		{ title: "created_at", value: ({ created_at }) => created_at },
		{ title: "id", value: ({ id }) => id },
	],
	failure: ({ verdict, verdict_line }) => (verdict === "failed" || verdict === "inconclusive" ? verdict_line : null),
};

/** A window with its gate and its verdict. */
export const WINDOW_DETAIL: View<ChangeWindow> = {
	name: "change window",
	columns: [
		...WINDOWS.columns,
		{ title: "reasons", value: ({ verdict_reasons }) => verdict_reasons },
		{ title: "verdict_line", value: ({ verdict_line }) => verdict_line },
		{ title: "gate", value: ({ gate }) => gate?.reasons.map(({ detail }) => detail).join(" ") },
		{ title: "connections", value: ({ connections }) => connections.map(({ name }) => name) },
		{ title: "hidden_connections", value: ({ hidden_count }) => hidden_count },
		{ title: "approved_by", value: ({ approved_by }) => approved_by },
		{ title: "override", value: ({ override }) => (override === null ? null : `${override.by}: ${override.reason}`) },
		{ title: "signed_by", value: ({ signed_by }) => signed_by },
		{ title: "starts_at", value: ({ starts_at }) => starts_at },
		{ title: "ends_at", value: ({ ends_at }) => ends_at },
		{ title: "opened_at", value: ({ opened_at }) => opened_at },
		{ title: "finished_at", value: ({ finished_at }) => finished_at },
	],
};

/** Builds a view that names the connections of the window. */
export const createFindingView = ({ connections }: ChangeWindow): View<WindowFinding> => ({
	name: "change findings",
	columns: [
		{ title: "class", value: (finding) => finding.class },
		{ title: "severity", value: ({ severity }) => severity },
		{
			title: "connection",
			value: ({ connection_id: id }) => connections.find(({ connection_id }) => connection_id === id)?.name ?? id,
		},
		{ title: "item", value: ({ item }) => item },
		{ title: "dn", value: ({ dn }) => dn },
		{ title: "change", value: ({ change }) => change },
		{ title: "attributes", value: formatAttributes },
		{ title: "detail", value: ({ detail }) => detail },
		{ title: "changed_by", value: ({ changed_by }) => [...new Set(changed_by.map(({ user }) => user))].join(", ") },
		{ title: "foreign", value: ({ foreign }) => foreign },
		{ title: "accepted_by", value: ({ accepted_by }) => accepted_by },
		{ title: "id", value: ({ id }) => id },
	],
});

/** `mtu 1500 → 9000`; empty values are shown as `""`. */
const formatAttributes = ({ attributes }: WindowFinding): string =>
	attributes.map(({ name, before, after }) => `${name} ${before || '""'} → ${after || '""'}`).join(", ");

export const getPlans = (client: WeftClient): Collection<ChangePlan> => ({
	kind: "change plan",
	list: (search) => client.each(changePlanRoutes.list, { query: search === undefined ? {} : { search } }),
	byId: (id) => client.call(changePlanRoutes.detail, { params: { id } }),
});

/**
 * Finds a window by its id or its ticket: of several with the ticket the open one, else the newest.
 * @throws CliError where there is none
 */
export async function findWindow(client: WeftClient, text: string): Promise<ChangeWindow> {
	if (isUuid(text))
		return readWindow(client, text).catch((error: unknown) => {
			if (error instanceof WeftError && error.status === 404)
				throw buildInputError(`There is no change window with the id ${text}.`);
			throw error;
		});
	const byTicket = (state?: "open") =>
		client.call(changeWindowRoutes.list, {
			query: { ticket: text.slice(0, 100), ordering: "-created_at", page_size: "1", ...(state && { state }) },
		});
	const found = (await byTicket("open")).results[0] ?? (await byTicket()).results[0];
	if (found !== undefined && text.length <= 100) return readWindow(client, found.id);
	const tickets: string[] = [];
	for await (const { ticket } of client.each(changeWindowRoutes.list)) {
		if (ticket !== null) tickets.push(ticket.number);
		if (tickets.length >= LISTED) break;
	}
	throw buildInputError(`There is no change window with the ticket "${text}".${suggestNames(tickets, text)}`);
}

export const readWindow = (client: WeftClient, id: string): Promise<ChangeWindow> =>
	client.call(changeWindowRoutes.detail, { params: { id } });

/** `Change window CHG0031337`; the id for one without a ticket. */
export const formatWindowName = ({ ticket, id }: Pick<ChangeWindow, "ticket" | "id">): string =>
	`Change window ${ticket?.number ?? id}`;
