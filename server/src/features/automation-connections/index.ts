/** Connections to automation servers: stored tokens, their test, discovery, and targets for the features that launch. */
import type { Identity } from "../../platform/caller.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { AutomationTarget } from "../../ports/automation-server.ts";
import type { Log } from "../../ports/log.ts";
import type { Db } from "../../ports/store.ts";
import { createConnectionRepo } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { type ConnectionDeps, createConnectionService } from "./service.ts";
import {
	type ConnectionUse,
	createConnectionUse,
	type UnusableConnection,
	type UsableConnection,
} from "./service-use.ts";

export { presentFailure } from "./present.ts";
export { tokenContext } from "./service.ts";
export type { UnusableConnection, UsableConnection } from "./service-use.ts";

export interface AutomationConnections {
	readonly routes: BoundRoute[];
	/** A connection that the caller sees: 404 where there is none, 400 where it cannot be used. */
	usable(identity: Identity, id: string): Promise<UsableConnection>;
	/** The same for the body of a create: 400 under the field. */
	named: ConnectionUse["named"];
	ofDefault: ConnectionUse["ofDefault"];
	/** A template of the server as it is now. 404, 502, 504 */
	template: ConnectionUse["template"];
	/** For background work, whose right to the connection was checked before. */
	target(id: string): Promise<UsableConnection | UnusableConnection>;
	/** Ids of the connections whose address has this host and port. */
	byHost(db: Db, host: string): Promise<string[]>;
}

export function createAutomationConnections(deps: Omit<ConnectionDeps, "repo">): AutomationConnections {
	const repo = createConnectionRepo();
	const all = { ...deps, repo };
	const use = createConnectionUse(all);
	return {
		routes: createRoutes({ connections: createConnectionService(all), use }),
		usable: use.usable,
		named: use.named,
		ofDefault: use.ofDefault,
		template: use.template,
		target: use.target,
		byHost: repo.byHost,
	};
}

/** For the driver: a warning on each use of a connection whose certificate is not validated. */
export const warnUnverifiedServer =
	(log: Pick<Log, "warn">) =>
	({ id, url }: Pick<AutomationTarget, "id" | "url">): void =>
		log.warn({ connectionId: id, host: new URL(url).host }, "the certificate of an automation server is not validated");
