/** Every WebSocket channel of the service. */
import { automationExecutionChannel } from "./automation/executions/channels.ts";
import { automationRequestChannel } from "./automation/requests/channels.ts";
import type { ChannelContract, ChannelPath } from "./core/channel.ts";
import { mimImportChannel } from "./model/imports/channels.ts";
import { notificationsChannel } from "./notifications/channels.ts";
import { groupExecutionChannel } from "./runs/groups/channels.ts";
import { chainExecutionChannel } from "./runs/pipelines/channels.ts";
import { changeWindowChannel } from "./windows/channels.ts";

const channels = [
	chainExecutionChannel,
	groupExecutionChannel,
	automationRequestChannel,
	automationExecutionChannel,
	mimImportChannel,
	notificationsChannel,
	changeWindowChannel,
] as const;

export const allChannels: readonly ChannelContract[] = channels;

type AnyChannel = (typeof channels)[number];

/** The contract of a channel: the channel itself if it has one, otherwise the one with its path. */
export type ChannelContractOf<Channel extends ChannelPath> = Channel extends ChannelContract
	? Channel
	: Extract<AnyChannel, { readonly path: Channel["path"] }>;
