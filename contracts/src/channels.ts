/** Every WebSocket channel of the service. */
import { automationExecutionChannel } from "./automation-executions.ts";
import { automationRequestChannel } from "./automation-requests.ts";
import type { ChannelContract } from "./channel.ts";
import { groupExecutionChannel } from "./group-executions.ts";
import { mimImportChannel } from "./mim-registry.ts";
import { notificationsChannel } from "./notifications.ts";
import { chainExecutionChannel } from "./pipelines.ts";

export const allChannels: readonly ChannelContract[] = [
	chainExecutionChannel,
	groupExecutionChannel,
	automationRequestChannel,
	automationExecutionChannel,
	mimImportChannel,
	notificationsChannel,
];
