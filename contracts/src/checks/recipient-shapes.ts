/** Recipients of a check's alerts beside its owner. */
import * as z from "zod";
import { defineList } from "../core/bounded.ts";
import { boolParam, emailAddress, intRef, paging, uuid } from "../core/common.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { CHECK_LIMITS } from "./values.ts";

const defineRecipients = <Item extends z.ZodType>(item: Item, max: number, noun: string) =>
	defineList(item, { max, tooMany: `Must be at most ${max} ${noun}.` }).transform((all) => [...new Set(all)]);
export const notifyInput = z.object({
	/** People who see the check. Absent: the owner. */
	user_ids: defineRecipients(intRef, CHECK_LIMITS.notifyUsers, "people").optional(),
	/** The owner's and shared ones, whatever their categories. */
	webhook_ids: defineRecipients(uuid, CHECK_LIMITS.notifyWebhooks, "webhooks").default([]),
	/** Of users, and of the domains of WEFT_MAIL_DOMAINS. */
	addresses: defineRecipients(emailAddress, CHECK_LIMITS.notifyAddresses, "addresses").default([]),
	/** Failing checks below it are not sent to these recipients; `error` counts as warning. */
	min_severity: z.enum(FINDING_SEVERITIES).default("info"),
});
export type CheckNotifyInput = z.output<typeof notifyInput>;
export const checkNotify = z.object({
	user_ids: z.array(z.int()),
	/** Empty, as are the addresses, for those who may not edit the check. */
	webhook_ids: z.array(z.string()),
	addresses: z.array(z.string()),
	min_severity: z.enum(FINDING_SEVERITIES),
});
export type CheckNotify = z.infer<typeof checkNotify>;

export const checkRecipientsQuery = z.object({
	...paging,
	/** Absent: a query that is not stored yet, and as public as the check. */
	saved_query: uuid.optional(),
	/** Whether the check is public. */
	is_public: boolParam.default(false),
	/** Part of a username, first or last name. */
	search: z.string().max(200).optional(),
});
export type CheckRecipientsQuery = z.output<typeof checkRecipientsQuery>;
