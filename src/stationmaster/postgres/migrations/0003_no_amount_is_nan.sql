-- NaN counts as greater than every number: `amount_usd > 0` lets it pass, and one NaN paid would allow any refund.
alter table shop.payments add constraint payments_amount_is_a_number check (amount_usd <> 'NaN');
alter table shop.refunds add constraint refunds_amount_is_a_number check (amount_usd <> 'NaN');
alter table shop.refund_holds add constraint refund_holds_amount_is_a_number check (amount_usd <> 'NaN');
