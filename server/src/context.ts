/**
 * What a use case may use: the store, the queue, time, ids and the integrations. Made once at the
 * start; tests make it with a fake clock and simulators.
 */
import type { DemoLogin } from "@weft/contracts";
import type { QuotaRules } from "./areas/accounts/users/check-quotas.ts";
import type { AutomationPool } from "./areas/automation/templates/workers/work.ts";
import type { CheckPool } from "./areas/checks/workers/work.ts";
import type { QueryFilePool } from "./areas/files/workers/work.ts";
import type { TimeMachinePool } from "./areas/history/workers/work.ts";
import type { RegistrySettings } from "./areas/model/imports/settings.ts";
import type { ModelPools } from "./areas/model/workers/work.ts";
import type { PipelinePool } from "./areas/runs/pipelines/workers/work.ts";
import type { JudgePool } from "./areas/windows/workers/work.ts";
import type { Events } from "./core/events.ts";
import type { Announcements } from "./core/ports/announcements.ts";
import type { Cache } from "./core/ports/cache.ts";
import type { CurrentModel } from "./core/ports/class-model.ts";
import type { Clock } from "./core/ports/clock.ts";
import type { Ids } from "./core/ports/ids.ts";
import type { Jobs } from "./core/ports/jobs.ts";
import type { Log } from "./core/ports/log.ts";
import type { Passwords } from "./core/ports/passwords.ts";
import type { PubSub } from "./core/ports/pubsub.ts";
import type { Secrets } from "./core/ports/secrets.ts";
import type { Store } from "./core/ports/store.ts";
import type { ControllerDriver } from "./integrations/apic/port.ts";
import type { AutomationDriver } from "./integrations/awx/port.ts";
import type { ModelSource } from "./integrations/class-documents/port.ts";
import type { Directory, DirectoryRules } from "./integrations/ldap/port.ts";
import type { IdentityProvider } from "./integrations/oidc/port.ts";
import type { Mailer } from "./integrations/smtp/port.ts";
import type { WebhookSender } from "./integrations/webhooks/port.ts";
import type { ServiceSettings } from "./service-settings.ts";

/** The parts of the context that come from settings, storage and integrations. */
export interface Parts extends ServiceSettings {
	readonly store: Store;
	readonly jobs: Jobs;
	readonly cache: Cache;
	readonly pubsub: PubSub;
	readonly announcements: Announcements;
	readonly secrets: Secrets;
	readonly passwords: Passwords;
	/** Threads that read, pack and compare snapshots. */
	readonly timeMachinePool: TimeMachinePool;
	/** Threads that read the documents of the class model and build it. */
	readonly modelPools: ModelPools;
	readonly modelSource: ModelSource;
	readonly modelSettings: RegistrySettings;
	readonly controllers: ControllerDriver;
	readonly automation: AutomationDriver;
	/** Threads that check rows. */
	readonly automationPool: AutomationPool;
	readonly pipelinePool: PipelinePool;
	/** Threads that evaluate checks. */
	readonly checkPool: CheckPool;
	/** Threads that judge change windows. */
	readonly judgePool: JudgePool;
	/** Threads that read and write files of queries. */
	readonly queryFilePool: QueryFilePool;
	/** Secrets of automation servers' notifications, the current one first; empty: not received. */
	readonly webhookSecrets: readonly string[];
	/** Upper bound of open automation jobs of all users. */
	readonly automationRunningMax: number;
	/** Null: not configured. */
	readonly directory: (Directory & { readonly rules: DirectoryRules }) | null;
	/** Null: not configured. */
	readonly identityProvider: (IdentityProvider & { readonly rules: DirectoryRules; readonly label: string }) | null;
	/** Null: not configured. */
	readonly mailer: Mailer | null;
	/** Null: off. */
	readonly webhooks: WebhookSender | null;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly version: string;
	/** This process among those of the service. */
	readonly node: { readonly host: string; readonly roles: readonly string[] };
	/** Retention of the rows of runs, in days. */
	readonly resultDays: number;
	/** Retention of the feed of changes, in days. */
	readonly changesDays: number;
	/** Logins that the sign-in page offers; absent where the service is no demonstration. */
	readonly demoLogins?: readonly DemoLogin[] | undefined;
}

export interface Context extends Parts {
	readonly log: Log;
	readonly events: Events;
	readonly quotas: QuotaRules;
	readonly classModel: CurrentModel;
	/** Areas whose use cases cannot be imported yet: they keep state, or stand in a circle. */
	readonly areas: Areas;
}

/** @public `compose.ts` adds each area that it makes. */
// biome-ignore lint/suspicious/noEmptyInterface: the areas import this file, so it cannot import theirs
export interface Areas {}

export const getNow = ({ clock }: Pick<Context, "clock">): Date => new Date(clock.now());

/** The instant `ms` milliseconds from now. */
export const getTimeIn = ({ clock }: Pick<Context, "clock">, ms: number): Date => new Date(clock.now() + ms);
