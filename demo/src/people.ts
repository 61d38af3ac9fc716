/** Three people with the roles of a new service, and their clients. */
import { type DemoLogin, groupRoutes, userRoutes } from "@weft/contracts";
import { createClient, type WeftClient } from "@weft/sdk";
import type { DemoClock } from "./clock.ts";

/** Sorted by what they may do. The first one is the service's first user. */
export const PEOPLE = [
	{ role: "Admin", username: "ada" },
	{ role: "Operator", username: "olga" },
	{ role: "Viewer", username: "victor" },
] as const;
type Username = (typeof PEOPLE)[number]["username"];

/** A session is used for so long; the clock may have left it behind. */
const SESSION_MS = 10 * 60_000;

export interface People {
	/** The client of a person, signed in by the present clock. */
	as(username: Username): Promise<WeftClient>;
}

export function createPeople(baseUrl: string, logins: readonly DemoLogin[], clock: DemoClock): People {
	const sessions = new Map<Username, { readonly client: WeftClient; readonly until: number }>();
	return {
		async as(username) {
			const known = sessions.get(username);
			if (known !== undefined && clock.now() < known.until) return known.client;
			const client = createClient({ baseUrl, now: clock.now });
			await client.signIn(username, getPassword(logins, username));
			sessions.set(username, { client, until: clock.now() + SESSION_MS });
			return client;
		},
	};
}

export function getPassword(logins: readonly DemoLogin[], username: Username): string {
	const login = logins.find((each) => each.username === username);
	if (login === undefined) throw new Error(`demo.json has no login of ${username}. Run the demo with --reset.`);
	return login.password;
}

const NAMES: Readonly<Record<Username, readonly [first: string, last: string]>> = {
	ada: ["Ada", "Admin"],
	olga: ["Olga", "Operator"],
	victor: ["Victor", "Viewer"],
};

/** Makes the people besides the first user, and puts each into the group of the role. */
export async function makePeople(admin: WeftClient, logins: readonly DemoLogin[]): Promise<void> {
	const { results: groups } = await admin.call(groupRoutes.list, { query: {} });
	const { results: users } = await admin.call(userRoutes.list, { query: {} });
	for (const { role, username } of PEOPLE) {
		const group_ids = groups.filter(({ name }) => name === role).map(({ id }) => id);
		const [first_name, last_name] = NAMES[username];
		const known = users.find((user) => user.username === username);
		if (known) {
			await admin.call(userRoutes.update, { params: { id: known.id }, body: { first_name, last_name, group_ids } });
		} else {
			const password = getPassword(logins, username);
			await admin.call(userRoutes.create, { body: { username, password, first_name, last_name, group_ids } });
		}
	}
}
