/** Changes a request that nobody has decided on yet, checked against its template of now. */
import { getRouteApi } from "@tanstack/react-router";
import type { AutomationRequestDetail, AutomationTemplate } from "@weft/contracts";
import { automationRequestRoutes, automationTemplateRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { findProblem } from "../../platform/problem.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Drafted } from "../../ui/form.tsx";
import { type Crumb, Empty, PageHead } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { ChangesView } from "./changes-view.tsx";
import { RequestForm } from "./request-form.tsx";
import type { Wanted } from "./request-values.ts";

const route = getRouteApi("/app/automation/requests/$id/edit");

export function EditRequestPage() {
	const { id } = route.useParams();
	const request = useAnswer(automationRequestRoutes.detail, { params: { id } });
	const templateId = request.data?.template ?? "";
	const template = useAnswer(
		automationTemplateRoutes.detail,
		{ params: { id: templateId } },
		{ enabled: templateId !== "" },
	);
	const crumbs = [
		{ label: "Requests", to: "/automation/requests" as const },
		...(request.data ? [{ label: request.data.title, to: "/automation/requests/$id" as const, params: { id } }] : []),
	];
	if (request.data !== undefined && (templateId === "" || !request.data.can_edit)) {
		return (
			<>
				<PageHead title="Edit the request" crumbs={crumbs} />
				<Empty
					action={
						<ButtonLink to="/automation/requests/$id" params={{ id }}>
							To the request
						</ButtonLink>
					}
				>
					{templateId === ""
						? "The template of this request is deleted: it can be cancelled, not changed."
						: "Its requester and administrators can change a request until it is approved or launched."}
				</Empty>
			</>
		);
	}
	if (request.data === undefined || template.data === undefined) {
		const missing = request.data === undefined ? request : template;
		return (
			<Unloaded
				what={request.data === undefined ? "Request" : "Template"}
				crumbs={crumbs}
				error={missing.error}
				onRetry={() => void missing.refetch()}
			/>
		);
	}
	return <Edit key={id} request={request.data} template={template.data} crumbs={crumbs} />;
}

interface EditProps {
	readonly request: AutomationRequestDetail;
	readonly template: AutomationTemplate;
	readonly crumbs: readonly Crumb[];
}

function Edit({ request, template, crumbs }: EditProps) {
	// A later version does not replace the form: the service compares the versions.
	const [read] = useState(request);
	return (
		<Drafted form="request" id={read.id} base={read.updated_at}>
			<Fields request={read} template={template} crumbs={crumbs} />
		</Drafted>
	);
}

function Fields({ request: begun, template, crumbs }: EditProps) {
	const draft = useDraft();
	const params = { id: begun.id };
	const guard = useSaveGuard(begun, () => callRoute(automationRequestRoutes.detail, { params }));
	const change = async ({ prompts, ...plain }: Wanted) => {
		const wanted = { ...plain, ...prompts };
		const read = guard.getRead() ?? begun;
		// Restored input is about the version that it was begun on, until the stored one is accepted.
		const updated_at = read === begun ? (draft?.base() ?? begun.updated_at) : read.updated_at;
		try {
			return await callRoute(automationRequestRoutes.update, { params, body: { ...wanted, updated_at } });
		} catch (error) {
			if (findProblem(error).status !== 409) throw error;
			const conflict = await guard.readConflict(wanted);
			// The service refuses with 409 too what its state does not allow.
			throw conflict?.stored.updated_at === updated_at ? error : conflict;
		}
	};
	return (
		<RequestForm
			template={template}
			before={{ ...begun, input_data: begun.input_data ?? [], prompts: begun }}
			source={{}}
			title={begun.status === "rejected" ? "Edit and submit again" : "Edit the request"}
			crumbs={crumbs}
			permission="change_automationrequest"
			submitLabel={getSubmitLabel(begun, template)}
			onSubmit={change}
			drawStored={(read, stored) => <ChangesView before={read} after={stored} />}
			onDone={({ status }) => showToast(status === "awaiting_approval" ? "Saved and sent for approval" : "Saved")}
		/>
	);
}

/** A rejected request goes back to approval, whatever its template asks for now. */
function getSubmitLabel({ status }: AutomationRequestDetail, { requires_approval }: AutomationTemplate): string {
	if (status === "rejected") return "Submit again";
	return requires_approval ? "Save and submit for approval" : "Save";
}
