/** A new request with the template that the address names. */
import { getRouteApi } from "@tanstack/react-router";
import { automationRequestRoutes, automationTemplateRoutes } from "@weft/contracts/browser";
import { useRef } from "react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { Drafted } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { RequestForm } from "./request-form.tsx";
import { NOTHING_ASKED, type Wanted } from "./request-values.ts";
import { TemplatePicker } from "./template-picker.tsx";

const route = getRouteApi("/app/automation/requests/new");
const CRUMBS = [{ label: "Requests", to: "/automation/requests" as const }];

/** A key of its own for each form, so that sending it twice makes one request. */
const createKey = (): string => `ui-${Date.now()}-${Math.random().toString(36).slice(2)}`;

export function NewRequestPage() {
	const { template: id = "", ...source } = route.useSearch();
	const answer = useAnswer(automationTemplateRoutes.detail, { params: { id } }, { enabled: id !== "" });
	/** The last request sent: sent again unchanged, it is the same one; changed, it is another. */
	const sent = useRef({ content: "", key: "" });
	if (id === "") return <TemplatePicker crumbs={CRUMBS} source={source} />;
	const template = answer.data;
	if (template === undefined) {
		return (
			<Unloaded
				what="Template"
				crumbs={[{ label: "Templates", to: "/automation/templates" }]}
				error={answer.error}
				onRetry={() => void answer.refetch()}
			/>
		);
	}
	const ask = (all: Wanted) => {
		const { scheduled_for, automation_credential_id, automation_credential_name, prompts, ...rest } = all;
		const { watch_query_id, change_plan, change_window, ...wanted } = rest;
		const body = {
			template: template.id,
			...wanted,
			...prompts,
			...(watch_query_id === null ? {} : { watch_query_id }),
			...(change_plan === null ? {} : { change_plan }),
			...(change_window === null ? {} : { change_window }),
			...(scheduled_for === null ? {} : { scheduled_for }),
			...(automation_credential_id === null ? {} : { automation_credential_id, automation_credential_name }),
		};
		const content = JSON.stringify(body);
		if (sent.current.content !== content) sent.current = { content, key: createKey() };
		return callRoute(automationRequestRoutes.create, { body: { ...body, idempotency_key: sent.current.key } });
	};
	return (
		<Drafted key={template.id} form="request" id={`new ${template.id}`}>
			<RequestForm
				template={template}
				before={NOTHING_ASKED}
				source={source}
				title="New request"
				crumbs={[...CRUMBS, { label: template.name }]}
				permission="add_automationrequest"
				submitLabel={template.requires_approval ? "Submit for approval" : "Submit"}
				onSubmit={ask}
				onDone={({ status }) =>
					showToast(
						status === "awaiting_approval" ? "Sent for approval" : "The request is made; nothing is launched yet",
					)
				}
			/>
		</Drafted>
	);
}
