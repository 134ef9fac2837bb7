// A setting of a provider, and what the dialogs about one get.
import type { ProviderSettings } from '../../../api/shapes.ts';

export type ProviderSetting = ProviderSettings['settings'][number];

export interface SettingDialogProps {
  readonly provider: string;
  readonly setting: ProviderSetting;
  readonly onClose: () => void;
}
