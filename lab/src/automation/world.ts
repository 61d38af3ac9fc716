/** Everything that the simulated AWX knows, and its sequences of ids. */

import { hashText } from "../controller/random.ts";
import type { Profile } from "./profiles.ts";
import type { Time } from "./time.ts";
import type {
	Behaviour,
	Credential,
	CredentialType,
	Inventory,
	Job,
	Notification,
	NotificationTemplate,
	Recording,
	Template,
	Token,
	User,
} from "./types.ts";

export interface World {
	readonly time: Time;
	readonly behaviour: Behaviour;
	readonly profile: Profile;
	readonly version: string;
	installUuid: string;
	/** As it is shown to those who ask, without a slash at the end. */
	readonly uiUrl: string;
	readonly users: User[];
	readonly tokens: Token[];
	readonly inventories: Map<number, Inventory>;
	readonly credentials: Map<number, Credential>;
	readonly credentialTypes: Map<number, CredentialType>;
	readonly templates: Map<number, Template>;
	/** Names of approvals' templates. */
	readonly approvals: Map<number, string>;
	readonly jobs: Map<number, Job>;
	/** Output of updates of the project, by job. */
	readonly updateOutputs: Map<number, string>;
	/** Runs that are played back for the playbook of this name. */
	readonly recordings: Map<string, Recording>;
	readonly notificationTemplates: Map<number, NotificationTemplate>;
	readonly notifications: Notification[];
	readonly ids: { job: number; event: number; node: number; notification: number; token: number; template: number };
	/** Milliseconds at which the objects of the start were made. */
	readonly born: number;
	readonly seed: number;
}

export const BEHAVIOUR: Behaviour = {
	pending_ms: 30,
	waiting_ms: 20,
	event_ms: 5,
	finish_ms: 20,
	cancel_ms: 100,
	reverses: false,
	store_ms: 10,
	batch_ms: 0,
	shuffle: true,
	lose: [],
	flag: "right",
	flag_ms: 30_000,
	dispatcher: true,
	display_bytes: 1_048_576,
	hostless_webhook_ms: 5_000,
	webhook_copies: 1,
	latency_ms: 0,
};

export interface WorldOptions {
	readonly time: Time;
	readonly seed: number;
	readonly profile: Profile;
	readonly version: string;
	readonly uiUrl: string;
	readonly username: string;
	readonly password: string;
	readonly token: string;
	readonly behaviour: Partial<Behaviour>;
}

/** The same text gives the same UUID. */
export function buildUuid(text: string): string {
	const part = (salt: number) => hashText(text, salt).toString(16).padStart(8, "0");
	const hex = part(1) + part(2) + part(3) + part(4);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
