/**
 * A change plan of the seeded query, and two windows: one whose declared change did not happen, and
 * a draft.
 */
import { changePlanRoutes, changeWindowRoutes, notificationRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";

export const PLAN = "New bridge domains";
export const JUDGED_WINDOW = "VLANs of rack 7";

/** Settles after one comparison without a difference. */
const QUICK = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 30 };

/** Returns the id of the window that was judged and signed. */
export async function seedWindows(client: WeftClient, query: string, connectionId: string): Promise<string> {
	const { id: plan } = await client.call(changePlanRoutes.create, {
		body: { name: PLAN, items: [{ query }], settle: QUICK },
	});
	const window = { plan, connection_ids: [connectionId] };
	await client.call(changeWindowRoutes.create, { body: { ...window, title: "Leaves of rack 9" } });
	const ticket = { number: "CHG0031337", url: "https://tickets.example.com/CHG0031337" };
	const { id } = await client.call(changeWindowRoutes.create, { body: { ...window, title: JUDGED_WINDOW, ticket } });
	const params = { id };
	const expectations = [{ change: "added" as const, class_name: "fvBD", dn: "uni/tn-Finance-01/BD-rack-7" }];
	await client.call(changeWindowRoutes.replaceExpectations, { params, body: { expectations } });
	await client.call(changeWindowRoutes.submit, { params });
	await client.call(changeWindowRoutes.start, { params });
	await waitForWindow(client, id, ({ state }) => state === "open");
	await client.call(changeWindowRoutes.finish, { params });
	await waitForWindow(client, id, ({ connections }) =>
		connections.every(({ items }) => items.length > 0 && items.every(({ settled }) => settled === true)),
	);
	await client.call(changeWindowRoutes.finish, { params, body: { now: true } });
	await waitForWindow(client, id, ({ state }) => state === "judged");
	await client.call(changeWindowRoutes.sign, { params, body: { comment: "The leaf stays as it is." } });
	// Tests of notifications begin with the announcement alone as unread.
	await client.call(notificationRoutes.markAllRead);
	return id;
}

type Window = Awaited<ReturnType<typeof readWindow>>;
const readWindow = (client: WeftClient, id: string) => client.call(changeWindowRoutes.detail, { params: { id } });

async function waitForWindow(client: WeftClient, id: string, isReached: (window: Window) => boolean): Promise<void> {
	while (!isReached(await readWindow(client, id))) await new Promise((resolve) => setTimeout(resolve, 100));
}
