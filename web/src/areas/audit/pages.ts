/** The pages of the audit area, one chunk. */
export { AuditPage } from "./log.tsx";
export { AuditSettingsPage } from "./settings.tsx";
export { SignInsPage } from "./sign-ins.tsx";
